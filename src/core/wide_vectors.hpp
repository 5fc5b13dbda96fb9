#pragma once

namespace dcube {

#if defined(__x86_64__) && defined(__GNUC__)

/// Whatever it inlines is compiled for AVX2. No fused multiplications: they round otherwise.
template <class Work>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] auto run_with_avx2(const Work& work) {
  return work();
}

/// Calls `work` as code for wide vectors where the processor has them. For loops over whole
/// numbers, whose results are the same with any.
template <class Work>
auto with_wide_vectors(const Work& work) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? run_with_avx2(work) : work();
}

#else

template <class Work>
auto with_wide_vectors(const Work& work) {
  return work();
}

#endif

}  // namespace dcube
