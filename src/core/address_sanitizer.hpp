#pragma once

/// DCUBE_ADDRESS_SANITIZER is 1 where the address sanitizer watches: GCC says so by a macro, Clang
/// by a feature.
#ifdef __SANITIZE_ADDRESS__
#define DCUBE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DCUBE_ADDRESS_SANITIZER 1
#endif
#endif
