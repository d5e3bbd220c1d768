/*
 * The account of a review: what each player did wrong, in one line with a row for each player, and the choice of one player's slips.
 */

import { html, setText } from "./draw.js";
import { createSeatChip } from "./seats.js";

/**
 * Create the view of the account.
 * @param {(seat: number | null) => void} show limits the slips to those of a seat, or to nobody's
 * @param {boolean} isGuest says that the board is a part of another page, which begins with the account
 */
export function createAccountView(game, show, isGuest) {
  const line = html("summary");
  const table = html("div", { class: "account-table" });
  const whose = html("select", { "aria-label": "Whose slips", title: "Whose slips are listed, and reached with M" });
  whose.addEventListener("change", () => show(whose.value === "" ? null : Number(whose.value)));
  const node = html("section", { class: "account", "aria-label": "Account", hidden: true }, html("details", {}, line, table));
  return {
    node,
    /** The choice of a player, which stands beside the buttons that go from slip to slip. */
    whose,
    setReview(review, only) {
      const account = review?.account;
      const isKnown = Boolean(account) && !review.problem;
      node.hidden = isGuest || !isKnown;
      whose.hidden = !review || Boolean(review.problem) || game.seats.length < 2;
      if (!isKnown) return;
      const options = [["", "of all players"], ...game.seats.map((_, seat) => [seat, nameChoice(game, review.people, seat)])];
      whose.replaceChildren(...options.map(([value, text]) => html("option", { value, selected: value === (only ?? "") }, text)));
      setText(line, account.line);
      table.replaceChildren(...tableParts(game, account));
    },
  };
}

/** "only mine" for the one person of a game, or else "only player 2's". */
const nameChoice = (game, people, seat) => (people.length === 1 && people[0] === seat ? "only mine" : `only player ${seat + 1}\u2019s`);

/** The rows of the players. The first column, which has their numbers, is drawn as chips. */
function tableParts(game, { title, columns, rows, caption }) {
  const heads = columns.slice(1).map((name) => html("th", { scope: "col" }, name));
  const body = rows.map(([, name, ...cells], seat) => html("tr", {}, html("th", { scope: "row" }, createSeatChip(game, seat), html("span", {}, name)), ...cells.map((cell) => html("td", {}, cell))));
  return [html("table", {}, html("caption", { class: "unseen" }, title), html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...body)), html("p", { class: "note" }, caption)];
}
