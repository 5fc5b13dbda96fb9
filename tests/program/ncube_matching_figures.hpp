#pragma once

#include <array>
#include <cstdint>

namespace dcube::testing {

/// A measured run time of template matching on an NCUBE/10 [N Fig 10, 12].
struct MeasuredMatching {
  std::uint32_t processes;
  std::uint32_t image;    ///< pixels along a side
  std::uint32_t pattern;  ///< values along a side of the template
  double seconds;
};

/// [N Fig 10]: the program of Fig 8, which overlaps, without the host's distribution.
inline constexpr std::array<MeasuredMatching, 30> figure_10{{
    {1, 32, 4, 0.505},    {1, 32, 8, 1.857},     {1, 32, 16, 7.000},   {1, 32, 32, 20.450},
    {4, 32, 4, 0.139},    {4, 32, 8, 0.482},     {4, 32, 16, 1.417},   {4, 64, 4, 0.514},
    {4, 64, 8, 1.872},    {4, 64, 16, 7.026},    {4, 64, 32, 20.497},  {16, 32, 4, 0.045},
    {16, 32, 8, 0.115},   {16, 64, 4, 0.142},    {16, 64, 8, 0.484},   {16, 64, 16, 1.422},
    {16, 128, 4, 0.516},  {16, 128, 8, 1.874},   {16, 128, 16, 7.031}, {16, 128, 32, 20.510},
    {64, 32, 4, 0.021},   {64, 64, 4, 0.047},    {64, 64, 8, 0.118},   {64, 128, 4, 0.144},
    {64, 128, 8, 0.487},  {64, 128, 16, 1.426},  {64, 256, 4, 0.519},  {64, 256, 8, 1.878},
    {64, 256, 16, 7.036}, {64, 256, 32, 20.520},
}};

/// [N Fig 12], left: the program of Fig 8 with the host's distribution of image and template.
inline constexpr std::array<MeasuredMatching, 6> figure_12_overlap{{
    {16, 128, 4, 0.902},
    {16, 128, 8, 2.422},
    {16, 128, 16, 8.143},
    {64, 128, 4, 0.637},
    {64, 128, 8, 1.176},
    {64, 128, 16, 2.532},
}};

/// [N Fig 12], right: the program of Fig 11, to which the host sends blocks with borders.
inline constexpr std::array<MeasuredMatching, 6> figure_12_borders{{
    {16, 128, 4, 0.760},
    {16, 128, 8, 1.731},
    {16, 128, 16, 5.413},
    {64, 128, 4, 0.607},
    {64, 128, 8, 1.016},
    {64, 128, 16, 2.345},
}};

}  // namespace dcube::testing
