// Waits for a request that it has waited for before.
#include <dcube/program/program.hpp>
#include <memory>

namespace {

class WaitsTwice final : public dcube::Program {
 public:
  std::string_view kind() const override { return "waits_twice"; }
  dcube::Guest guest() const override { return dcube::Guest::cube(1); }
  dcube::Task<> run(dcube::Process& process) override {
    const dcube::ProcessId partner{1 - process.rank().index()};
    const dcube::Request number = process.post_receive(partner);
    process.send(partner, dcube::Payload::of_size(8));
    co_await process.wait(number);
    co_await process.wait(number);
  }
};

const dcube::ProgramKind kind{
    "waits_twice",
    "",
    "",
    {},
    [](const dcube::Params&, const dcube::ProgramContext&) -> std::unique_ptr<dcube::Program> {
      return std::make_unique<WaitsTwice>();
    }};
const bool is_registered = dcube::register_program(kind);

}  // namespace
