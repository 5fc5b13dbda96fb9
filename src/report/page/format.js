// Numbers and times as people read them.

const time_units = [
  { seconds: 1, name: "s" },
  { seconds: 1e-3, name: "ms" },
  { seconds: 1e-6, name: "us" },
  { seconds: 1e-9, name: "ns" },
  { seconds: 1e-12, name: "ps" },
];

// The unit in which `seconds` has one to three digits before the point.
function time_unit(seconds) {
  return time_units.find((unit) => seconds >= unit.seconds * (1 - 1e-12)) ?? time_units[seconds > 0 ? 4 : 0];
}

// Kept, for one takes long to make.
const number_formats = new Map();

// With at most so many significant digits; whole numbers have all of theirs.
function digits(value, most) {
  const kept = Number.isInteger(value) ? 21 : most;
  if (!number_formats.has(kept)) {
    number_formats.set(kept, new Intl.NumberFormat("en-US", { maximumSignificantDigits: kept, roundingMode: "halfEven" }));
  }
  return number_formats.get(kept).format(value);
}

function time_text(seconds, most = 6) {
  const unit = time_unit(seconds);
  return `${digits(seconds / unit.seconds, most)} ${unit.name}`;
}

function count_text(count, noun) {
  const plural = noun.endsWith("ss") ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

// With so many digits after the point; halves go to the even digit, as in tables.
function fixed_text(value, places) {
  const exact = value.toFixed(places + 25);
  const kept = exact.slice(0, -25);
  return /[02468]50{24}$/.test(exact) ? kept : value.toFixed(places);
}

function percent_text(share) {
  return `${fixed_text(100 * share, 1)} %`;
}

// A sum of lengths before each entry of a list of steps.
function running_sum(steps) {
  let sum = 0;
  return Float64Array.from(steps, (step) => (sum += step));
}
