// Process 0 deals out work to whoever asks for it: ranges of numbers, in which the others count the
// primes. Large numbers take longer, so nobody can tell beforehand who asks next.

#include <algorithm>
#include <cstdint>
#include <dcube/program/program.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using dcube::Payload;
using dcube::Process;
using dcube::ProcessId;
using dcube::Received;
using Words = std::vector<std::uint64_t>;

constexpr ProcessId server{0};

class ClientServer final : public dcube::Program {
 public:
  ClientServer(std::uint32_t processes, std::uint32_t below, std::uint32_t range)
      : processes_{processes}, below_{below}, range_{range} {}

  std::string_view kind() const override { return "client_server"; }
  dcube::Guest guest() const override { return dcube::Guest::of_processes(processes_); }

  dcube::Task<> run(Process& process) override {
    return process.rank() == server ? serve(process) : work(process);
  }

  std::optional<bool> verify() override { return primes_ == primes_by_sieve(); }

  dcube::Params answer() const override {
    dcube::Params answer;
    answer.set("primes", primes_);
    answer.set("fewest_ranges", fewest_ranges_);
    answer.set("most_ranges", most_ranges_);
    return answer;
  }

 private:
  /// A client asks by saying how many primes it has found since it asked last. It gets the first
  /// number of a range, or, when there is none left, the end of all.
  dcube::Task<> serve(Process& process) {
    std::vector<std::uint32_t> ranges(processes_, 0);
    std::uint64_t next = 0;
    primes_ = 0;
    for (std::uint32_t working = processes_ - 1; working > 0;) {
      const Received asked = co_await process.receive_any();
      primes_ += asked.payload.view<std::uint64_t>().front();
      process.send(asked.source, Payload::of(Words{next}));
      if (next == below_) {
        --working;
      } else {
        next = std::min(next + range_, below_);
        ++ranges[asked.source.index()];
      }
    }
    fewest_ranges_ = *std::min_element(ranges.begin() + 1, ranges.end());
    most_ranges_ = *std::max_element(ranges.begin() + 1, ranges.end());
  }

  dcube::Task<> work(Process& process) {
    std::uint64_t found = 0;
    while (true) {
      process.send(server, Payload::of(Words{found}));
      const Payload reply = co_await process.receive(server);
      const std::uint64_t begin = reply.view<std::uint64_t>().front();
      if (begin == below_) {
        co_return;
      }
      std::uint64_t divisions = 0;
      found = 0;
      for (std::uint64_t n = begin; n < std::min(begin + range_, below_); ++n) {
        found += is_prime(n, divisions) ? 1 : 0;
      }
      co_await process.compute("multiply", divisions);
    }
  }

  /// By trial division; counts the divisions.
  static bool is_prime(std::uint64_t n, std::uint64_t& divisions) {
    for (std::uint64_t divisor = 2; divisor * divisor <= n; ++divisor) {
      ++divisions;
      if (n % divisor == 0) {
        return false;
      }
    }
    return n >= 2;
  }

  std::uint64_t primes_by_sieve() const {
    std::vector<bool> is_composite(below_, false);
    std::uint64_t primes = 0;
    for (std::uint64_t n = 2; n < below_; ++n) {
      if (!is_composite[n]) {
        ++primes;
        for (std::uint64_t multiple = n * n; multiple < below_; multiple += n) {
          is_composite[multiple] = true;
        }
      }
    }
    return primes;
  }

  std::uint32_t processes_;
  std::uint64_t below_;
  std::uint64_t range_;
  std::uint64_t primes_ = 0;
  std::uint32_t fewest_ranges_ = 0;  ///< that a client got
  std::uint32_t most_ranges_ = 0;
};

std::unique_ptr<dcube::Program> make_client_server(const dcube::Params& settings,
                                                   const dcube::ProgramContext&) {
  const auto processes = static_cast<std::uint32_t>(
      settings.integer("processes", 2, 1 << 20, "a number of processes (2 to 1048576)"));
  return std::make_unique<ClientServer>(processes, settings.positive_int("below"),
                                        settings.positive_int("range"));
}

const dcube::ProgramKind kind{
    .name = "client_server",
    .help = "process 0 deals out ranges of numbers, in which the others count the primes",
    .example = "processes=4,below=1000,range=100",
    .parameters = {{"processes", "the server and its clients (2 to 1048576)", ""},
                   {"below", "primes below this number are counted (>= 1)", ""},
                   {"range", "numbers that a client gets at a time (>= 1)", ""}},
    .make = make_client_server};

const bool is_registered = dcube::register_program(kind);

}  // namespace
