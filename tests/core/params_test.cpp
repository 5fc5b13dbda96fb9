#include "dcube/core/params.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

constexpr std::string_view side = "a side (a positive integer)";

Params parsed(std::string_view text) { return Params::parse(text, "x.json: /machine/topology"); }

TEST(Setting, DescribesItselfAsWritten) {
  EXPECT_EQ(Setting{}.describe(), "null");
  EXPECT_EQ(Setting{true}.describe(), "true");
  EXPECT_EQ(Setting{Setting::Number{"0.10"}}.describe(), "0.10");
  EXPECT_EQ(Setting{"1s"}.describe(), "\"1s\"");
  EXPECT_EQ((Setting{Setting::List{Setting{Setting::Number{"4"}}, Setting{"a"}}}.describe()),
            "[4, \"a\"]");
  Params group;
  group.set("uniform", Setting::List{Setting{"1s"}});
  group.set("b", false);
  EXPECT_EQ(Setting{group}.describe(), "{\"b\": false, \"uniform\": [\"1s\"]}");
}

TEST(Setting, NumbersAreNoTruths) {
  Params answer;
  answer.set("trace", 42);
  answer.set("least", std::numeric_limits<std::int64_t>::min());
  answer.set("most", std::numeric_limits<std::uint64_t>::max());
  answer.set("third", 1.0 / 3);
  answer.set("none", std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer.find("trace")->describe(), "42");
  EXPECT_EQ(answer.find("least")->describe(), "-9223372036854775808");
  EXPECT_EQ(answer.find("most")->describe(), "18446744073709551615");
  EXPECT_EQ(answer.find("third")->describe(), "0.3333333333333333");
  EXPECT_EQ(answer.find("none")->describe(), "\"inf\"");
  static_assert(!std::is_constructible_v<Setting, const int*>);
}

TEST(Setting, LongDescriptionsAreShortened) {
  EXPECT_EQ(Setting{std::string(1000, 'a')}.describe(), '"' + std::string(37, 'a') + "...\"");
  const Setting::List list(1000, Setting{Setting::Number{"12345"}});
  EXPECT_EQ(Setting{list}.describe(), "[12345, 12345, 12345, 12345, 12345, 1...");
}

TEST(Setting, CopiesAreIndependent) {
  Params inner;
  inner.set("a", true);
  const Setting original{inner};
  const Setting copy = original;
  inner.set("b", true);
  EXPECT_NE(copy.group(), original.group());
  EXPECT_FALSE(original.group()->has("b"));
}

TEST(ParamsParse, ReadsEveryKindOfValue) {
  const Params params = parsed("nodes=5, tie=positive,shape=4x4,map=[0,2,[1]],deep=true,empty=[]");
  EXPECT_EQ(params.positive_int("nodes"), 5U);
  EXPECT_EQ(params.text("tie"), "positive");
  EXPECT_EQ(params.positive_ints("shape", side), (std::vector<std::uint32_t>{4, 4}));
  EXPECT_EQ(params.find("map")->describe(), "[0, 2, [1]]");
  EXPECT_TRUE(params.boolean("deep", false));
  EXPECT_EQ(params.find("empty")->describe(), "[]");
  EXPECT_TRUE(Params::parse(" ").keys().empty());
  // As in JSON, from where people copy them.
  EXPECT_EQ(parsed("tie=\"positive\"").text("tie"), "positive");
  EXPECT_EQ(parsed("edge=[0,\"wide\"]").find("edge")->describe(), "[0, \"wide\"]");
}

TEST(ParamsParse, BrokenTextIsAnInputError) {
  EXPECT_EQ(complaint([] { Params::parse("nodes", "--on"); }),
            "--on: \"nodes\" is no setting (write key=value, with commas between settings)");
  EXPECT_NE(complaint([] { Params::parse("=5"); }), "");
  EXPECT_NE(complaint([] { Params::parse("a=1,"); }), "");
  EXPECT_EQ(complaint([] { Params::parse("a=1,a=2"); }), "`a` is given twice");
}

TEST(Params, PlaceOfAKeyIsAJsonPointer) {
  EXPECT_EQ(parsed("").place_of("shape"), "x.json: /machine/topology/shape");
  EXPECT_EQ(Params{"x.json: "}.place_of("a/b~c"), "x.json: /a~1b~0c");
}

TEST(Params, UnknownKeyNamesItsPlaceAndTheNearest) {
  const std::vector<std::string> known{"kind", "nodes"};
  EXPECT_NO_THROW(parsed("kind=ring,nodes=5").allow_only(known));
  EXPECT_EQ(complaint([&] { parsed("kind=ring,node=5").allow_only(known); }),
            "x.json: /machine/topology/node: unknown key; did you mean `nodes`?");
}

TEST(Params, MissingKeyIsAnInputError) {
  const Params params = parsed("");
  const std::string expected = "x.json: /machine/topology: `nodes` is missing";
  EXPECT_EQ(complaint([&] { params.positive_int("nodes"); }), expected);
  EXPECT_EQ(complaint([&] { params.text("nodes"); }), expected);
  EXPECT_EQ(complaint([&] { params.duration("nodes"); }), expected);
  EXPECT_EQ(complaint([&] { params.size_bytes("nodes"); }), expected);
  EXPECT_EQ(complaint([&] { params.group("nodes"); }), expected);
  EXPECT_EQ(complaint([&] { params.positive_ints("nodes", side); }), expected);
}

TEST(Params, FallbacksStandInForMissingKeys) {
  const Params params;
  EXPECT_TRUE(params.boolean("a", true));
  EXPECT_EQ(params.seed("a", 7), 7U);
  EXPECT_EQ(params.choice("a", std::vector<std::string>{"b"}, "c"), "c");
  EXPECT_EQ(params.duration("a", ExactTime{5, 2}), ExactTime(5, 2));
  EXPECT_EQ(params.size_bytes("a", 64), 64U);
}

TEST(Params, ZeroIsAnInputError) {
  EXPECT_EQ(complaint([] { parsed("nodes=0").positive_int("nodes"); }),
            "x.json: /machine/topology/nodes: 0 is not a positive integer");
}

TEST(Params, IntegersAreChecked) {
  const auto bad = [](std::string_view text) {
    return complaint([&] { parsed(text).integer("n", 1, 64, "a side (a positive integer)"); });
  };
  const std::string place = "x.json: /machine/topology/n: ";
  EXPECT_EQ(bad("n=64"), "");
  EXPECT_EQ(bad("n=4.0"), "");
  EXPECT_EQ(bad("n=65"), place + "65 is not a side (a positive integer); at most 64");
  EXPECT_EQ(complaint([] { parsed("n=8").integer("n", 0, 7, "a node (0 to 7)"); }),
            place + "8 is not a node (0 to 7)");
  EXPECT_EQ(bad("n=-1"), place + "-1 is not a side (a positive integer)");
  EXPECT_EQ(bad("n=1.5"), place + "1.5 is not a side (a positive integer)");
  EXPECT_EQ(bad("n=x"), place + "\"x\" is not a side (a positive integer)");
  EXPECT_EQ(bad("n=true"), place + "true is not a side (a positive integer)");
  EXPECT_EQ(bad("n=1e999999999"),
            place + "1e999999999 is not a side (a positive integer); at most 64");
}

TEST(Params, SeedsCoverSixtyFourBits) {
  EXPECT_EQ(parsed("seed=18446744073709551615").seed("seed", 0), 18446744073709551615U);
  EXPECT_EQ(complaint([] { parsed("seed=18446744073709551616").seed("seed", 0); }),
            "x.json: /machine/topology/seed: 18446744073709551616 is not a seed (a non-negative "
            "integer); at most 18446744073709551615");
}

TEST(Params, BadEntryOfAListIsNamedByItsPlace) {
  EXPECT_EQ(complaint([] { parsed("shape=[4,0]").positive_ints("shape", side); }),
            "x.json: /machine/topology/shape/1: 0 is not a side (a positive integer)");
  EXPECT_EQ(complaint([] { parsed("shape=4xx").positive_ints("shape", side); }),
            "x.json: /machine/topology/shape/1: \"\" is not a side (a positive integer)");
  EXPECT_EQ(complaint([] { parsed("shape=[]").positive_ints("shape", side); }),
            "x.json: /machine/topology/shape: [] is not a list of at least one entry, each a side "
            "(a positive "
            "integer)");
  EXPECT_EQ(complaint([] { parsed("shape=true").positive_ints("shape", side); }),
            "x.json: /machine/topology/shape: true is not a list of at least one entry, each a "
            "side (a positive "
            "integer)");
}

TEST(Params, ListsOfZeroAndMore) {
  EXPECT_EQ(parsed("map=[0,2,1]").non_negative_ints("map", "a node"),
            (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(parsed("map=7").non_negative_ints("map", "a node"), std::vector<std::uint32_t>{7});
}

TEST(Params, ChoiceOffersTheNearest) {
  const std::vector<std::string> names{"no_wrap", "positive"};
  const auto chosen = [&](std::string_view text) { return parsed(text).choice("tie", names, ""); };
  EXPECT_EQ(chosen("tie=positive"), "positive");
  EXPECT_EQ(complaint([&] { chosen("tie=postive"); }),
            "x.json: /machine/topology/tie: \"postive\" is unknown; did you mean `positive`?");
  EXPECT_EQ(complaint([&] { chosen("tie=up"); }),
            "x.json: /machine/topology/tie: \"up\" is unknown; known: no_wrap, positive");
  EXPECT_EQ(complaint([&] { chosen("tie=5"); }), "x.json: /machine/topology/tie: 5 is not a text");
}

TEST(Params, QuantitiesKeepTheDecimalText) {
  const Params params = parsed("a=0.1,b=446.7us,c=64KiB,d=12,e=400GBps");
  EXPECT_EQ(params.duration("a"), ExactTime(100'000'000'000, 1));
  EXPECT_EQ(params.duration("b"), ExactTime(446'700'000, 1));
  EXPECT_EQ(params.size_bytes("c"), 65'536U);
  EXPECT_EQ(params.size_bytes("d"), 12U);
  EXPECT_EQ(params.time_per_byte("e"), ExactTime(5, 2));
}

TEST(Params, BadQuantityIsNamedByItsPlace) {
  EXPECT_EQ(complaint([] { parsed("a=-1").duration("a"); }),
            "x.json: /machine/topology/a: -1 is not a duration (a non-negative number of seconds, "
            "or with a unit: ps, ns, us, ms, s)");
  EXPECT_EQ(complaint([] { parsed("a=true").duration("a"); }),
            "x.json: /machine/topology/a: true is not a duration (a number of seconds, or a text "
            "with a unit such as \"2.5us\")");
  EXPECT_EQ(complaint([] { parsed("a=[1]").size_bytes("a"); }),
            "x.json: /machine/topology/a: [1] is not a size (a number of bytes, or a text with a "
            "unit such as \"64KiB\")");
  EXPECT_EQ(complaint([] { parsed("a=true").time_per_byte("a"); }),
            "x.json: /machine/topology/a: true is not a rate (a number of bytes per second, or a "
            "text with a unit such as \"1.25GBps\")");
}

TEST(Params, KindsAreNotMixedUp) {
  EXPECT_EQ(complaint([] { parsed("a=1").boolean("a", true); }),
            "x.json: /machine/topology/a: 1 is not true or false");
  EXPECT_EQ(complaint([] { parsed("a=1").group("a"); }),
            "x.json: /machine/topology/a: 1 is not a group of settings { .. }");
  EXPECT_EQ(complaint([] { parsed("a=1").text("a"); }),
            "x.json: /machine/topology/a: 1 is not a text");
}

}  // namespace
}  // namespace dcube
