/*
 * Tells the server the query of the address: a replay writes its ply there without asking the server. A replay that shows the
 * answer to a what-if question names the whole address of this question instead, and tells what the answer says.
 * `mount` is called when the fields of a note are opened.
 */

export default function mount({ data, setStateValue }) {
  const shown = { address: location.search };
  document.dispatchEvent(new CustomEvent("shown-address", { detail: shown }));
  if (shown.address !== data.known) setStateValue("search", shown.address);
  if ((shown.answer ?? "") !== data.answer) setStateValue("answer", shown.answer ?? "");
}
