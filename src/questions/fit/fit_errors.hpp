#pragma once

#include <vector>

#include "dcube/questions/fit.hpp"

namespace dcube {

/// The median; the mean of the two in the middle of an even number. Needs at least one number.
double median_of(std::vector<double> numbers);

/// Errors of the rows that are used.
FitErrors errors_of_all(const std::vector<FitRow>& rows);
std::vector<FitErrors> errors_by_group(const std::vector<FitRow>& rows);
/// Rows with problems by problem.
std::vector<LeftOutRows> left_out_rows(const std::vector<FitRow>& rows);
/// How rows of one question and size are ranked, those of one group by their first row.
FitRanking fit_ranking(const std::vector<FitRow>& rows);

}  // namespace dcube
