#include "engine/program_stack.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/address_sanitizer.hpp"

namespace dcube::detail {
namespace {

// The sanitizer is not told of other stacks, and no actor borrows one under it.
#ifndef DCUBE_ADDRESS_SANITIZER

constexpr std::size_t stack_bytes = std::size_t{1} << 18;

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

/// Goes down to a frame below `limit`, and back.
// NOLINTNEXTLINE(misc-no-recursion): each call takes some stack.
std::uint32_t frames_down_to(std::uintptr_t limit) {
  const volatile std::uint32_t one = 1;
  return here() < limit ? 0 : one + frames_down_to(limit);
}

TEST(ProgramStack, IsAnotherStackAndAlwaysTheSame) {
  ProgramStack stack{stack_bytes};
  std::uintptr_t first = 0;
  std::uintptr_t second = 0;
  stack.run([&] { first = here(); });
  stack.run([&] { second = here(); });
  EXPECT_GT(first > here() ? first - here() : here() - first, stack_bytes);
  EXPECT_EQ(first, second);
}

TEST(ProgramStack, HoldsWhatItWasMadeFor) {
  ProgramStack stack{stack_bytes};
  std::uint32_t frames = 0;
  stack.run([&] { frames = frames_down_to(here() - stack_bytes / 2); });
  EXPECT_GT(frames, 0U);
}

TEST(ProgramStack, CodeOnItMayCatchItsOwnExceptions) {
  ProgramStack stack{stack_bytes};
  bool is_caught = false;
  stack.run([&] {
    try {
      throw std::runtime_error{"thrown"};
    } catch (const std::runtime_error&) {
      is_caught = true;
    }
  });
  EXPECT_TRUE(is_caught);
}

static_assert(!std::is_move_constructible_v<ProgramStack>, "its fiber knows its address");
static_assert(!std::is_move_assignable_v<ProgramStack>);

TEST(ProgramStack, MayGoWithoutHavingBeenUsed) { const ProgramStack stack{stack_bytes}; }

#endif

}  // namespace
}  // namespace dcube::detail
