/*
 * Numbers as people read them: signs, shares in percent, points, half widths of intervals, and the ticks of an axis.
 */

const ORDINALS = ["", "1st", "2nd", "3rd"];
export const formatOrdinal = (rank) => ORDINALS[rank] ?? `${rank}th`;
export const formatNumber = (number) => String(number).replace("-", "\u2212");
export const formatSigned = (number) => (number > 0 ? `+${number}` : formatNumber(number));

/** Format a share as whole percents. */
export function formatPercent(share, isSigned = false) {
  const number = Math.round(100 * share) || 0;
  if (share < 1 && number === 100) return ">99\u202f%"; // somebody reads 100 as all
  return `${isSigned ? formatSigned(number) : formatNumber(number)}\u202f%`;
}

/** Format points to a tenth. */
export function formatTenths(points, isSigned = false) {
  const text = (Math.round(10 * points) / 10 || 0).toFixed(1);
  return isSigned && Number(text) > 0 ? `+${text}` : formatNumber(text);
}

/** Format half the width of an interval: "\u00b14", or nothing if the value is exact. */
export const formatShareHalf = (half) => (half ? `\u00b1${Math.round(100 * half) || "<1"}` : "");
export const formatPointsHalf = (half) => (half ? `\u00b1${half.toFixed(1)}` : "");

/** "3.2 \u00b10.8 points" and "16 % \u00b14 of the win"; without \u00b1 if the value is exact. */
export const formatPoints = ([value, half]) => `${formatTenths(value)} ${half ? `${formatPointsHalf(half)} ` : ""}points`;
export const formatWins = ([value, half]) => `${formatPercent(value)} ${half ? `${formatShareHalf(half)} ` : ""}of the win`;

/** Return three or four round numbers within a range. */
export function roundNumbersInRange(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= rough));
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}
