/*
 * Reading values of JSON data, which may come from anybody: a value that does not fit is replaced by one of the wanted type.
 */

export const asText = (value, longest = 80) => (typeof value === "string" ? value.slice(0, longest) : "");
export const asRecord = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
export const asList = (value, longest) => (Array.isArray(value) ? value.slice(0, longest) : []);
export const isWithin = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;
export const asNumber = (value) => (Number.isFinite(value) ? value : 0);
export const asSeat = (value, seats) => (isWithin(value, 0, seats - 1) ? value : null);
export const asCount = (value) => (isWithin(value, 0, 1e9) ? value : 0);
export const areNumbers = (value, length) => Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** Return how many lessons of a collection this browser has solved, `solved` among them; 0 outside a collection, and where nothing can be stored. */
export function countSolved(collection, solved) {
  if (!collection) return 0;
  const slot = `reroll-solved ${collection}`;
  try {
    const all = new Set([...asList(JSON.parse(localStorage.getItem(slot)), 1000), ...(solved ? [solved] : [])]);
    if (solved) localStorage.setItem(slot, JSON.stringify([...all]));
    return all.size;
  } catch {
    return 0;
  }
}
