#include "expression.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"

namespace dcube {

/// Recursive descent parser. Returns of each part whether it has a unit.
class ExpressionReader : public RejectsIf<ExpressionReader> {
 public:
  ExpressionReader(std::string_view text, std::string place, Expression::Unit unit)
      : text_{text}, unit_{unit} {
    expression_.place_ = std::move(place);
  }

  Expression read() {
    const bool has_unit = sum(0);
    skip();
    if (next_ < text_.size()) {
      reject(fmt::format("{} is not expected there", shown(text_.substr(next_))));
    }
    if (unit_ != Expression::Unit::count && !has_unit) {
      reject(unit_ == Expression::Unit::time ? "it has no unit (ps, ns, us, ms or s)"
                                             : "it has no unit (B, KiB, MB, ..)");
    }
    return std::move(expression_);
  }

  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(expression_.place_,
                     fmt::format("{} cannot be computed: {} (an expression has numbers with units, "
                                 "rank, size, iteration, + - * / % and brackets)",
                                 shown(text_), problem));
  }

 private:
  using What = Expression::What;

  static constexpr int deepest = 100;

  bool sum(int depth) {
    bool has_unit = product(depth);
    for (;;) {
      const bool adds = take('+');
      if (!adds && !take('-')) {
        return has_unit;
      }
      reject_if(product(depth) != has_unit, "it adds a number to what has a unit");
      add(adds ? What::add : What::subtract);
    }
  }

  bool product(int depth) {
    bool has_unit = factor(depth);
    for (;;) {
      if (take('*')) {
        const bool other = factor(depth);
        reject_if(has_unit && other, "it multiplies two things that have units");
        has_unit = has_unit || other;
        add(What::multiply);
      } else if (const bool divides = take('/'); divides || take('%')) {
        const bool other = factor(depth);
        reject_if(other && !has_unit, "it divides a number by what has a unit");
        has_unit = divides ? has_unit != other : has_unit;
        add(divides ? What::divide : What::remainder);
      } else {
        return has_unit;
      }
    }
  }

  bool factor(int depth) {
    reject_if(depth > deepest, "it has too many brackets in each other");
    skip();
    if (take('(')) {
      const bool has_unit = sum(depth + 1);
      reject_if(!take(')'), "a bracket is not closed");
      return has_unit;
    }
    static constexpr std::array<std::pair<std::string_view, What>, 3> variables{
        {{"rank", What::rank}, {"size", What::size}, {"iteration", What::iteration}}};
    const std::string_view word = letters();
    for (const auto& [name, what] : variables) {
      if (word == name) {
        next_ += name.size();
        add(what);
        return false;
      }
    }
    reject_if(!word.empty(), "{} is neither rank, size nor iteration", shown(word));
    return number();
  }

  /// Reads a number and its unit, if any.
  bool number() {
    const std::size_t length = decimal_length(text_.substr(next_));
    if (length == 0 || text_[next_] == '-') {
      reject(next_ < text_.size() ? fmt::format("{} is not a number", shown(text_.substr(next_)))
                                  : std::string{"it ends too early"});
    }
    std::string value{text_.substr(next_, length)};
    next_ += length;
    const std::string_view of = letters();
    next_ += of.size();
    if (of.empty()) {
      const std::optional<Decimal> decimal = read_decimal(value);
      const std::optional<std::uint64_t> whole = decimal ? whole_value(*decimal) : std::nullopt;
      reject_if(!whole, "{} has no unit and is not a whole number", value);
      add(What::constant, Int128{*whole});
      return false;
    }
    value += of;
    reject_if(unit_ == Expression::Unit::count, "{} has a unit, but a number is asked for",
              shown(value));
    at_place(expression_.place_, [&] {
      add(What::constant, unit_ == Expression::Unit::time
                              ? Int128{round_cost(parse_duration(value), ExactTime{}, 0).count()}
                              : Int128{parse_size(value)});
    });
    return true;
  }

  std::string_view letters() const {
    std::size_t end = next_;
    while (end < text_.size() &&
           ((text_[end] >= 'a' && text_[end] <= 'z') || (text_[end] >= 'A' && text_[end] <= 'Z'))) {
      ++end;
    }
    return text_.substr(next_, end - next_);
  }
  void skip() {
    while (next_ < text_.size() && blanks.find(text_[next_]) != std::string_view::npos) {
      ++next_;
    }
  }
  bool take(char wanted) {
    skip();
    if (next_ < text_.size() && text_[next_] == wanted) {
      ++next_;
      return true;
    }
    return false;
  }
  void add(What what, Int128 value = 0) { expression_.steps_.push_back({what, value}); }

  std::string_view text_;
  Expression::Unit unit_;
  std::size_t next_ = 0;
  Expression expression_;
};

namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 62;

/// Whether a minus stands between two parts: not in "-1s" and "1e-6s".
bool subtracts(std::string_view text) {
  for (std::size_t minus = text.find('-', 1); minus != std::string_view::npos;
       minus = text.find('-', minus + 1)) {
    if (text[minus - 1] != 'e' && text[minus - 1] != 'E') {
      return true;
    }
  }
  return false;
}

bool is_variable(std::string_view text) {
  return text.find_first_of("*/%+()") != std::string_view::npos || subtracts(text) ||
         text.find("rank") != std::string_view::npos ||
         text.find("size") != std::string_view::npos ||
         text.find("iteration") != std::string_view::npos;
}

}  // namespace

Expression Expression::read(const Params& settings, std::string_view key, Unit unit) {
  return read(settings.required(key), settings.place_of(key), unit);
}

Expression Expression::read(const Setting& setting, const std::string& place, Unit unit) {
  if (const std::string* const text = setting.text();
      text != nullptr && (is_variable(*text) || unit == Unit::count)) {
    return ExpressionReader{*text, place, unit}.read();
  }
  // A plain number, as in other settings.
  Params alone{place};
  alone.set("", setting);
  return of(at_place(place, [&]() -> std::uint64_t {
    switch (unit) {
      case Unit::time:
        return static_cast<std::uint64_t>(round_cost(alone.duration(""), ExactTime{}, 0).count());
      case Unit::bytes:
        return alone.size_bytes("");
      default:
        return static_cast<std::uint64_t>(
            alone.integer("", 0, static_cast<std::int64_t>(most), "a whole number >= 0"));
    }
  }));
}

std::uint64_t Expression::operator()(const Variables& variables) const {
  if (!is_formula()) {
    return constant_;
  }
  std::vector<Int128> values;
  const auto expect = [&](bool holds, std::string_view problem) {
    refuse_if(!holds, place_, "{} for rank {} in iteration {}", problem, variables.rank,
              variables.iteration);
  };
  for (const Step& step : steps_) {
    if (step.what < What::add) {
      values.push_back(step.what == What::constant ? step.value
                       : step.what == What::rank   ? Int128{variables.rank}
                       : step.what == What::size   ? Int128{variables.size}
                                                   : Int128{variables.iteration});
      continue;
    }
    const Int128 right = values.back();
    values.pop_back();
    Int128& left = values.back();
    bool overflows = false;
    switch (step.what) {
      case What::add:
        overflows = __builtin_add_overflow(left, right, &left);
        break;
      case What::subtract:
        overflows = __builtin_sub_overflow(left, right, &left);
        break;
      case What::multiply:
        overflows = __builtin_mul_overflow(left, right, &left);
        break;
      default:
        expect(right != 0, "is a division by 0");
        left = step.what == What::divide ? left / right : left % right;
        break;
    }
    expect(!overflows, "is out of range");
  }
  expect(values.back() >= 0, "is less than 0");
  expect(values.back() <= Int128{most}, "is more than 2^62");
  return static_cast<std::uint64_t>(values.back());
}

}  // namespace dcube
