/*
 * The account of a review: what each player did wrong, in a table with a row for each player, and the choice of one player's slips.
 */

import { html } from "./draw.js";
import { createSeatChip } from "./seats.js";

/**
 * Create the view of the account.
 * @param {(seat: number | null) => void} show limits the slips to those of a seat, or to nobody's
 * @param {boolean} isGuest says that the board is a part of another page, which begins with the account
 */
export function createAccountView(game, show, isGuest) {
  const whose = html("select", { "aria-label": "Whose slips", title: "Whose slips are listed, and reached with M" });
  whose.addEventListener("change", () => show(whose.value === "" ? null : Number(whose.value)));
  const node = html("section", { class: "account", "aria-label": "Account", hidden: true });
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
      node.replaceChildren(...tableParts(game, account));
    },
  };
}

/** "only mine" for the one person of a game, or else "only player 2's". */
const nameChoice = (game, people, seat) => (people.length === 1 && people[0] === seat ? "only mine" : `only player ${seat + 1}\u2019s`);

/** The rows of the players; halves of intervals stand in small type behind their values. */
function tableParts(game, { title, columns, rows, caption }) {
  const heads = columns.map((name) => html("th", { scope: "col" }, name));
  const body = rows.map(([name, ...cells], seat) => html("tr", {}, html("th", { scope: "row" }, createSeatChip(game, seat), html("span", {}, name)), ...cells.map(cellNode)));
  return [html("table", {}, html("caption", { class: "unseen" }, title), html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...body)), html("p", { class: "note" }, caption)];
}

function cellNode(text) {
  const [value, half] = text.split(" ");
  return html("td", {}, value, half ? html("small", {}, ` ${half}`) : "");
}
