#include "program/fft_points.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fft_runs.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

std::string little_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return text;
}

/// A WAV file of 16-bit samples, the channels taking turns.
std::string wav_of(const std::vector<int>& samples, std::uint32_t channels) {
  std::string data;
  for (const int sample : samples) {
    data += little_endian(static_cast<std::uint32_t>(sample), 2);
  }
  const auto size = static_cast<std::uint32_t>(data.size());
  return "RIFF" + little_endian(36 + size, 4) + "WAVEfmt " + little_endian(16, 4) +
         little_endian(1, 2) + little_endian(channels, 2) + little_endian(8000, 4) +
         little_endian(8000 * 2 * channels, 4) + little_endian(2 * channels, 2) +
         little_endian(16, 2) + "data" + little_endian(size, 4) + data;
}

/// Every point of a file that goes through a transform on four processes.
std::vector<Complex> spectrum_of(const std::string& name, std::string_view content) {
  const TemporaryFolder folder;
  folder.write(name, content);
  const FftRun run{
      "kind=ring,nodes=4", "standard", "output=s.csv,input=" + name, {.folder = folder.path()}};
  run.run();
  EXPECT_EQ(run.program->verify(), true);
  return run.spectrum();
}

TEST(FftPoints, RandomOnesDependOnSeedAndIndexAlone) {
  const FftPoints points = FftPoints::random(7, 4096);
  const FftPoints more = FftPoints::random(7, 8192);
  const FftPoints others = FftPoints::random(8, 4096);
  Complex sum;
  for (std::uint64_t index = 0; index < points.count(); ++index) {
    const Complex point = points.at(index);
    EXPECT_EQ(point, more.at(index));
    EXPECT_NE(point, others.at(index));
    EXPECT_NE(point.real(), point.imag());
    EXPECT_TRUE(point.real() >= -1 && point.real() < 1) << point;
    EXPECT_TRUE(point.imag() >= -1 && point.imag() < 1) << point;
    sum += point;
  }
  EXPECT_LT(std::abs(sum) / 4096, 0.05);
  EXPECT_EQ(points.all().at(4095), points.at(4095));
}

TEST(FftPoints, OfACsvFileAreItsRows) {
  // A unit impulse at index 1: X(k) = exp(-2 pi i k / 4).
  const std::vector<Complex> real = spectrum_of("x.csv", "re\n0\n1\n0\n0\n");
  ASSERT_EQ(real.size(), 4U);
  const std::vector<Complex> turning{{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LE(std::abs(real[k] - turning[k]), 1e-15);
  }
  const std::vector<Complex> complex = spectrum_of("x.csv", "0,0\n0,2\n0,0\n0,0\n");
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LE(std::abs(complex[k] - Complex{0, 2} * turning[k]), 1e-15);
  }
}

TEST(FftPoints, OfASoundFileAreItsFirstChannel) {
  const std::vector<Complex> mono = spectrum_of("x.wav", wav_of({16384, 0, 0, -16384}, 1));
  ASSERT_EQ(mono.size(), 4U);
  EXPECT_LE(std::abs(mono[0]), 1e-15);
  EXPECT_LE(std::abs(mono[1] - Complex{0.5, -0.5}), 1e-15);
  EXPECT_LE(std::abs(mono[2] - Complex{1, 0}), 1e-15);
  EXPECT_EQ(spectrum_of("x.WAV", wav_of({16384, 1, 0, 2, 0, 3, -16384, 4}, 2)), mono);
}

TEST(FftPoints, AFileOfManyBlocksIsReadWhole) {
  std::vector<int> samples(16384);
  samples[16383] = -32768;
  const std::vector<Complex> spectrum = spectrum_of("x.wav", wav_of(samples, 1));
  ASSERT_EQ(spectrum.size(), 16384U);
  EXPECT_LE(std::abs(spectrum[0] - Complex{-1, 0}), 1e-12);
}

class BadFftSettings : public ::testing::Test {
 protected:
  std::string problem(const std::string& settings,
                      const std::string& topology = "kind=ring,nodes=4") const {
    return folder.shortened(complaint([&] {
      FftRun{topology, "standard", settings, {.folder = folder.path()}};
    }));
  }
  std::string problem_with(const std::string& name, std::string_view content,
                           const std::string& settings = "") const {
    folder.write(name, content);
    return problem("input=" + name + settings);
  }

  TemporaryFolder folder;
};

TEST_F(BadFftSettings, Counts) {
  EXPECT_EQ(problem("points=100"),
            "/points: 100 is not a power of two; the nearest are 64 and 128");
  EXPECT_EQ(problem("points=0"), "/points: 0 is not a number of points (a power of two)");
  EXPECT_EQ(problem("points=2"), "/points: 2 are fewer than the 4 processes (each needs one)");
  EXPECT_EQ(problem("points=4"), "");
  EXPECT_EQ(problem("points_per_process=3"),
            "/points_per_process: 3 is not a power of two; the nearest are 2 and 4");
  EXPECT_EQ(problem("points=64,points_per_process=16"),
            "/points_per_process: is given beside `points` (one follows from the other)");
  EXPECT_EQ(problem("points_per_process=1099511627776"),
            "/points_per_process: 1099511627776 on each of 4 processes are more than 2^40 points");
  EXPECT_EQ(problem("points=2199023255552"),
            "/points: 2199023255552 is not a number of points (a power of two); at most "
            "1099511627776");
}

TEST_F(BadFftSettings, Words) {
  EXPECT_EQ(problem("decimation=timely"),
            "/decimation: \"timely\" is unknown; did you mean `time`?");
  EXPECT_EQ(problem("exchange=egger"), "/exchange: \"egger\" is unknown; did you mean `eager`?");
  EXPECT_EQ(problem("point=64"), "/point: unknown key; did you mean `points`?");
  EXPECT_EQ(problem("processes=3"), "/processes: 3 is not a power of two; the nearest are 2 and 4");
  EXPECT_EQ(problem("", "kind=ring,nodes=6"),
            "/processes: is missing, and the ring of 6 has 6 nodes (not a power of two); give the "
            "number of processes, at most 4");
  EXPECT_EQ(problem("processes=4", "kind=ring,nodes=6"), "");
}

TEST_F(BadFftSettings, Files) {
  EXPECT_EQ(problem("input=gone.csv"),
            "/input: gone.csv cannot be read (No such file or directory)");
  EXPECT_EQ(problem("input=gone.wav"),
            "/input: gone.wav cannot be read (No such file or directory)");
  EXPECT_EQ(problem_with("x.csv", ""), "/input: x.csv is empty");
  EXPECT_EQ(problem_with("x.csv", "1\n2\nx\n4\n"),
            "/input: x.csv: line 3 has \"x\", not a finite number");
  EXPECT_EQ(problem_with("x.csv", "1,2,3\n"),
            "/input: x.csv: line 1 has 3 fields; at most 2 can be used");
  EXPECT_EQ(problem_with("x.csv", "1\n2\n3\n"),
            "/input: x.csv holds 3 points (not a power of two); the nearest are 2 and 4");
  EXPECT_EQ(problem_with("x.csv", "1\n2\n"),
            "/input: x.csv holds 2 points, fewer than the 4 processes (each needs one)");
  EXPECT_EQ(problem_with("x.csv", "1\n2\n3\n4\n", ",points=8"),
            "/input: x.csv holds 4 points, not the 8 of the settings");
  EXPECT_EQ(problem_with("x.csv", "1\n2\n3\n4\n", ",points_per_process=1"), "");
  EXPECT_EQ(problem_with("x.csv", "1e308\n1e308\n3\n4\n"),
            "/input: x.csv holds numbers whose spectrum exceeds double precision; scale them down");
}

TEST_F(BadFftSettings, SoundFiles) {
  const std::string whole = wav_of({1, 2, 3, 4}, 1);
  EXPECT_EQ(problem_with("x.wav", whole), "");
  EXPECT_EQ(problem_with("x.wav", whole.substr(0, 48)),
            "/input: x.wav is cut short (its header promises 52 bytes, and it has 48)");
  std::string with_more = whole;  // in its samples than in the file
  with_more.replace(40, 1, "\x20");
  EXPECT_EQ(problem_with("x.wav", with_more),
            "/input: x.wav is cut short (its header promises 76 bytes, and it has 52)");
  EXPECT_EQ(problem_with("x.wav", "1\n2\n3\n4\n"),
            "/input: x.wav cannot be read as sound (Format not recognised.)");
  EXPECT_EQ(problem_with("x.wav", ""),
            "/input: x.wav cannot be read as sound (Format not recognised.)");
  EXPECT_EQ(problem_with("x.wav", wav_of({}, 1)), "/input: x.wav holds no samples");
  EXPECT_EQ(problem_with("x.wav", wav_of({1, 2, 3}, 1)),
            "/input: x.wav holds 3 points (not a power of two); the nearest are 2 and 4");
}

}  // namespace
}  // namespace dcube::testing
