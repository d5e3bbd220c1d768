/*
 * Write what the page shows by default into the address, so that the address keeps its meaning when the default changes.
 * The address is replaced: a new entry of the history would make the Back button return to the same page.
 */
export default function writeDefaults({ data }) {
  const address = new URL(location.href);
  if (address.pathname.split("/").pop() !== data.page) return;
  const isKnown = Object.entries(data.held).every(([key, values]) => String(address.searchParams.getAll(key)) === String(values));
  if (!isKnown) return; // the visitor has gone on or back, and the server does not know yet
  let isChanged = false;
  for (const [key, values] of Object.entries(data.defaults)) {
    if (address.searchParams.has(key)) continue;
    for (const value of values) address.searchParams.append(key, value);
    isChanged = true;
  }
  if (isChanged) history.replaceState(history.state, "", address);
}
