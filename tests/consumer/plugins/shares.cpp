// Three processes, of whom two share a variable: who comes first. Either the first two compute side
// by side, or one waits for the other. "by_run": how much they compute depends on how often the
// program has run.
#include <chrono>
#include <dcube/program/program.hpp>
#include <memory>
#include <optional>

namespace {

using std::chrono_literals::operator""us;

int runs = 0;

class Shares final : public dcube::Program {
 public:
  explicit Shares(bool by_run) : by_run_{by_run} {}

  std::string_view kind() const override { return "shares"; }
  dcube::Guest guest() const override { return dcube::Guest::parse("line:3"); }
  dcube::Task<> run(dcube::Process& process) override {
    const dcube::ProcessId giver{0};
    const dcube::ProcessId near{1};
    const dcube::ProcessId far{2};
    if (process.rank() == giver) {
      runs += by_run_ ? 1 : 0;
      process.send(far, dcube::Payload::of_size(8));
      co_await process.compute(1us);
      process.send(near, dcube::Payload::of_size(8));
      co_return;
    }
    co_await process.receive(giver);
    first_ = first_.value_or(process.rank());
    if (process.rank() == far) {
      co_await process.compute(50us * (runs + 1));
      process.send(near, dcube::Payload::of_size(8));
      co_return;
    }
    if (*first_ == far) {
      co_await process.receive(far);
      co_await process.compute(50us);
    } else {
      co_await process.compute(50us);
      co_await process.receive(far);
    }
  }

 private:
  bool by_run_;
  std::optional<dcube::ProcessId> first_;
};

const dcube::ProgramKind kind{"shares",
                              "",
                              "",
                              {{"by_run", "whether computing grows with every run", "false"}},
                              [](const dcube::Params& settings,
                                 const dcube::ProgramContext&) -> std::unique_ptr<dcube::Program> {
                                return std::make_unique<Shares>(settings.boolean("by_run", false));
                              }};
const bool is_registered = dcube::register_program(kind);

}  // namespace
