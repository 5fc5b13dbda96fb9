#include "program_stack.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <utility>

namespace dcube::detail {

namespace context = boost::context;

ProgramStack::ProgramStack(std::size_t size_bytes)
    : runner_{std::allocator_arg, context::protected_fixedsize_stack{size_bytes},
              [this](context::fiber&& borrower) {
                while (true) {
                  call_(code_);
                  borrower = std::move(borrower).resume();
                }
                return std::move(borrower);
              }} {}

void ProgramStack::borrow() { runner_ = std::move(runner_).resume(); }

}  // namespace dcube::detail
