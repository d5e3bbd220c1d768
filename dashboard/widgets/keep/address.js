/*
 * Tells the server the query of the address: a replay writes its ply there without asking the server.
 * `mount` is called when the fields of a note are opened.
 */

export default function mount({ data, setStateValue }) {
  if (location.search !== data.known) setStateValue("search", location.search);
}
