"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const KINDS = ["matched", "doubtful", "unmatched"];
  const byId = (id) => document.getElementById(id);
  const detailOf = new Map(data.detailed.map((row, place) => [row, place]));
  const rows = data.kind.map((_, row) => row);

  // --- names -------------------------------------------------------------------------------------

  const rest = (name) => data.names.rest[name];
  const beginning = (name) => data.names.beginnings[data.names.of[name]];
  const full = (name) => beginning(name) + rest(name);
  const fold = (text) => text.normalize("NFC").toLowerCase();
  const sought = rows.map((row) =>
    fold(full(data.left[row]) + "\n" + (data.right[row] < 0 ? "" : full(data.right[row]))));

  // --- elements: text is only ever set as text ------------------------------------------------------

  function make(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }
  function draw(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
  }
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    for (const child of children) if (child !== null) element.append(child);
    return element;
  }
  const entity = (name) => make("bdi", { title: full(name) }, rest(name));

  // --- which rows, in which order -----------------------------------------------------------------

  const state = { sort: null, down: false, page: 0, open: new Set() };
  const keys = {
    status: (row) => data.kind[row],
    left: (row) => rest(data.left[row]),
    right: (row) => (data.right[row] < 0 ? "" : rest(data.right[row])),
    probability: (row) => data.probability[row],
    score: (row) => (data.score[row] === null ? -Infinity : data.score[row]),
  };
  const collator = new Intl.Collator(undefined, { numeric: true });

  function chosen() {
    const words = fold(byId("search").value).split(/\s+/).filter(Boolean);
    const kind = byId("kind").value;
    const kept = rows.filter((row) =>
      (kind === "" || (kind === "d" ? detailOf.has(row) : data.kind[row] === Number(kind)))
      && words.every((word) => sought[row].includes(word)));
    if (state.sort) {
      const key = keys[state.sort], sign = state.down ? -1 : 1;
      const values = new Map(kept.map((row) => [row, key(row)]));
      kept.sort((a, b) => {
        const x = values.get(a), y = values.get(b);
        const order = typeof x === "string" ? collator.compare(x, y) : x < y ? -1 : x > y ? 1 : 0;
        return sign * order || a - b;
      });
    }
    return kept;
  }

  // --- the table ------------------------------------------------------------------------------------

  const body = make("tbody", { role: "rowgroup" });
  const heads = [
    ["status", "Status", "status"], ["left", "Left", ""], ["right", "Right", ""],
    ["probability", "Probability", "number figure-column"], ["score", "Score", "number figure-column"],
  ].map(([key, title, kind]) => {
    const button = make("button", { type: "button" }, title);
    const head = make("th", { scope: "col", role: "columnheader", class: kind, "data-key": key }, button);
    button.addEventListener("click", () => {
      const numeric = key === "probability" || key === "score";
      state.down = state.sort === key ? !state.down : numeric;
      state.sort = key;
      state.page = 0;
      show();
    });
    return head;
  });
  const last = make("th", { scope: "col", role: "columnheader", class: "opener" }, "Evidence");
  const table = make("table", { class: "pairs", role: "table" },
    make("caption", null, "Pairs of entities. Column titles sort; the buttons of the last column open what speaks for a pair."),
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...heads, last)), body);

  function show() {
    const kept = chosen(), size = Number(byId("size").value);
    const nPages = Math.max(1, Math.ceil(kept.length / size));
    state.page = Math.min(state.page, nPages - 1);
    for (const head of heads) {
      if (head.dataset.key !== state.sort) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    }
    body.replaceChildren();
    for (const row of kept.slice(state.page * size, (state.page + 1) * size)) body.append(...lines(row));
    byId("found").textContent = kept.length === rows.length
      ? count(rows.length, "row") : count(kept.length, "row") + " of " + rows.length.toLocaleString("en");
    byId("pages").hidden = nPages < 2;
    byId("page").textContent = "Page " + (state.page + 1).toLocaleString("en") + " of " + nPages.toLocaleString("en");
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page === nPages - 1;
  }

  function lines(row) {
    const pair = make("tr", { class: "pair", role: "row" },
      cell({}, make("span", { class: "kind k" + data.kind[row] }, KINDS[data.kind[row]])),
      cell({}, named(data.left[row])),
      cell({}, data.right[row] < 0 ? "–" : named(data.right[row])),
      cell({ class: "number", "data-name": "probability" }, data.right[row] < 0 ? "–" : (data.probability[row] / 1e4).toFixed(4)),
      cell({ class: "number", "data-name": "score" }, data.right[row] < 0 || data.score[row] === null ? "–" : (data.score[row] / 1e4).toFixed(3)));
    if (!detailOf.has(row)) {
      pair.append(cell({ class: "opener quiet" }, ""));
      return [pair];
    }
    const id = "detail-" + row;
    const label = "Why " + rest(data.left[row]) + " and " + rest(data.right[row]);
    const button = make("button", { type: "button", "aria-expanded": "false", "aria-controls": id, "aria-label": label }, "Why?");
    pair.append(cell({ class: "opener" }, button));
    const detail = make("tr", { class: "detail", role: "row", id: id, hidden: "" });
    const toggle = (open) => {
      button.setAttribute("aria-expanded", String(open));
      detail.hidden = !open;
      if (open && !detail.firstChild) {
        detail.append(cell({ colspan: 6 }, ...explained(row, data.details[detailOf.get(row)])));
      }
      if (open) state.open.add(row); else state.open.delete(row);
    };
    button.addEventListener("click", () => toggle(detail.hidden));
    if (state.open.has(row)) toggle(true);
    return [pair, detail];
  }

  // Roles are given, since a narrow page shows the table as blocks.
  function cell(attributes, ...children) {
    return make("td", { role: "cell", ...attributes }, ...children);
  }

  function named(name) {
    const start = beginning(name);
    return make("span", null, entity(name), start ? make("bdi", { class: "beginning" }, start) : null);
  }

  // --- what speaks for a pair ---------------------------------------------------------------------

  const [T_LEFT, T_LEFT_END, T_RIGHT, T_RIGHT_END, T_CHANCE, T_SEED, T_RHO, T_W, T_W2, T_SHARE] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  // How drawings are laid out: widths of texts are in letters, all others in units of the drawing.
  const WIDE = { all: 610, start: 262, bars: 268, label: 33, box: 218, margin: 22, centre: 24, name: 27, relation: 32 };
  const NARROW = { all: 350, start: 152, bars: 128, label: 19, box: 138, margin: 12, centre: 13, name: 16, relation: 19 };
  const layout = () => (matchMedia("(max-width: 44rem)").matches ? NARROW : WIDE);
  const arrow = (relation) => (relation % 2 ? "is " + rest(relation >> 1) + " of" : rest(relation >> 1));

  function explained(row, detail) {
    const parts = [make("p", null, verdict(row, detail))];
    if (data.by_evidence) {
      parts.push(make("h3", null, "What adds up to the score"), framed(waterfall(row, detail), "What adds up to the score"));
    } else {
      parts.push(make("h3", null, "Labels in common"), hops(detail));
    }
    parts.push(make("h3", null, "Both neighbourhoods"), framed(neighbourhoods(row, detail), "Both neighbourhoods"),
      make("p", { class: "key" }, "Lines join neighbours believed to be the same, thicker where that is more probable; amber ones were given as seeds. Dashed boxes have no counterpart here."));
    if (detail.terms.length) parts.push(make("h3", null, "The same as a table"), terms(detail));
    return parts;
  }

  function framed(content, label) {
    return make("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": label }, content);
  }

  function verdict(row, detail) {
    const chance = (data.probability[row] / 1e4).toFixed(4);
    const said = ["Matched with probability " + chance + ".", "No link: the best candidate has probability " + chance + ".",
      "No link: the best candidate has probability " + chance + " only."][data.kind[row]];
    const facts = detail.terms.length + (detail.more ? detail.more[0] : 0);
    const one = data.by_evidence ? "pair of facts speaks for it" : "fact leads to a common neighbour";
    const many = data.by_evidence ? "pairs of facts speak for it" : "facts lead to common neighbours";
    return said + " " + (facts === 1 ? "1 " + one : (facts || "No").toLocaleString("en") + " " + many) + ".";
  }

  function parts(detail) {
    const found = detail.terms.map((term) => ({
      label: rest(term[T_LEFT_END]) + " ≡ " + rest(term[T_RIGHT_END]),
      brief: rest(term[T_LEFT_END]),
      words: arrow(term[T_LEFT]) + " " + full(term[T_LEFT_END]) + " with " + arrow(term[T_RIGHT]) + " " + full(term[T_RIGHT_END]),
      value: term[T_SHARE], kind: "part",
    }));
    if (detail.more) found.push({ label: count(detail.more[0], "more pair") + " of facts", brief: count(detail.more[0], "more pair"), words: "all other terms", value: detail.more[1], kind: "part" });
    if (detail.cosine !== undefined) {
      found.push({ label: "likeness of the sketches", brief: "sketches alike", words: "the rest of the score: weighted cosine", value: detail.cosine, kind: "part cosine" });
    }
    return found;
  }

  function waterfall(row, detail) {
    const all = parts(detail), height = 24, sizes = layout();
    const total = all.reduce((sum, part) => sum + part.value, 0);
    let low = 0, high = 1e-9, sum = 0;
    for (const part of all) { sum += part.value; low = Math.min(low, sum); high = Math.max(high, sum); }
    const x = (value) => sizes.start + sizes.bars * (value - low) / (high - low);
    const said = all.map((part) => part.label + " " + part.value.toFixed(4)).join(", ") + ", in all " + total.toFixed(4);
    const picture = drawing("waterfall-" + row, "What adds up to the score", said, sizes.all, height * (all.length + 1) + 10);
    sum = 0;
    all.forEach((part, place) => {
      const y = place * height + 4, from = sum;
      sum += part.value;
      bar(picture, part, x, from, sum, y, height, sizes);
    });
    bar(picture, { label: detail.cosine === undefined ? "evidence" : "score", words: "the sum", value: total, kind: "part total" }, x, 0, total, all.length * height + 6, height, sizes);
    return picture;
  }

  function bar(picture, part, x, from, to, y, height, sizes) {
    const a = Math.min(x(from), x(to)), b = Math.max(x(from), x(to));
    picture.append(
      draw("text", { x: sizes.start - 8, y: y + 14, "text-anchor": "end" }, cut(sizes === NARROW ? part.brief || part.label : part.label, sizes.label)),
      draw("rect", { x: a, y: y + 3, width: Math.max(b - a, 1), height: height - 9, class: part.kind }, draw("title", null, part.words)),
      draw("text", { x: b + 7, y: y + 14, class: "quiet" }, (part.value < 0 ? "−" : part.kind.includes("total") ? "" : "+") + Math.abs(part.value).toFixed(4)));
  }

  // Both entities as boxes at the top, their neighbours below them, and lines across.
  function neighbourhoods(row, detail) {
    const sides = [ends(detail, T_LEFT, "left"), ends(detail, T_RIGHT, "right")];
    const most = Math.max(sides[0].list.length, sides[1].list.length, 0);
    const sizes = layout(), step = 46, top = 56, width = sizes.box, reach = sizes.margin * 0.64;
    const lefts = [sizes.margin, sizes.all - sizes.margin - width];
    const more = sides.some((side) => side.more) ? 24 : 0;
    const picture = drawing("around-" + row, "Both neighbourhoods", said(row, detail, sides), sizes.all, top + most * step + more + 4);
    const middle = (place) => top + place * step + 20;
    const drawn = new Set();
    for (const term of detail.terms) {
      const a = sides[0].at.get(term[T_LEFT_END]), b = sides[1].at.get(term[T_RIGHT_END]);
      if (drawn.has(a + "/" + b)) continue;
      drawn.add(a + "/" + b);
      const x = lefts[0] + width, y = middle(a), x2 = lefts[1], y2 = middle(b);
      picture.append(draw("path", { d: `M${x} ${y}C${(x + x2) / 2} ${y} ${(x + x2) / 2} ${y2} ${x2} ${y2}`, class: term[T_SEED] ? "join seed" : "join", "stroke-width": (0.8 + 3.2 * term[T_CHANCE]).toFixed(1) },
        draw("title", null, term[T_SEED] ? "given as a seed" : "probability " + term[T_CHANCE].toFixed(2))));
    }
    sides.forEach((side, number) => {
      const x = lefts[number], outer = number === 0 ? x - reach : x + width + reach, edge = number === 0 ? x : x + width;
      const centre = number === 0 ? data.left[row] : data.right[row];
      if (side.list.length) picture.append(draw("path", { d: `M${outer} 22V${middle(side.list.length - 1)}M${outer} 22H${edge}`, class: "spine" }));
      side.list.forEach((one, place) => {
        picture.append(draw("path", { d: `M${outer} ${middle(place)}H${edge}`, class: "spine" }));
        box(picture, x, middle(place) - 19, width, 38, "node" + (one.lonely ? " lonely" : ""), sizes, one.name, arrow(one.relation) + (one.times > 1 ? ` and ${one.times - 1} more` : ""));
      });
      box(picture, x, 4, width, 36, "node centre", sizes, centre, null);
      if (side.more) picture.append(draw("text", { x: x + 10, y: top + side.list.length * step + 14, class: "quiet" }, "and " + count(side.more, "more fact")));
    });
    const chance = data.probability[row] / 1e4;
    picture.append(draw("path", { d: `M${lefts[0] + width} 22H${lefts[1]}`, class: "join", "stroke-dasharray": data.kind[row] ? "5 4" : null, "stroke-width": (0.8 + 3.2 * chance).toFixed(1) }),
      draw("text", { x: sizes.all / 2, y: 14, "text-anchor": "middle", class: "quiet" }, chance.toFixed(2)));
    return picture;
  }

  function ends(detail, column, side) {
    const at = new Map(), list = [];
    for (const term of detail.terms) {
      const name = term[column + 1];
      if (at.has(name)) {
        if (!list[at.get(name)].relations.has(term[column])) list[at.get(name)].times += 1;
        list[at.get(name)].relations.add(term[column]);
        continue;
      }
      at.set(name, list.length);
      list.push({ name: name, relation: term[column], relations: new Set([term[column]]), times: 1, lonely: false });
    }
    const lonely = detail[side] || [0];
    for (let place = 1; place < lonely.length; place += 2) {
      list.push({ name: lonely[place + 1], relation: lonely[place], times: 1, lonely: true });
    }
    return { at: at, list: list, more: Math.max(0, lonely[0] - (lonely.length - 1) / 2) };
  }

  function box(picture, x, y, width, height, kind, sizes, name, relation) {
    const centre = relation === null;
    const group = draw("g", null, draw("title", null, (centre ? "" : relation + " ") + full(name)),
      draw("rect", { x: x, y: y, width: width, height: height, rx: 6, class: kind }),
      draw("text", { x: x + 10, y: y + (centre ? 23 : 16), class: centre ? "on" : null }, cut(rest(name), centre ? sizes.centre : sizes.name)));
    if (!centre) group.append(draw("text", { x: x + 10, y: y + 31, class: "quiet", "font-size": 11 }, cut(relation, sizes.relation)));
    picture.append(group);
  }

  function said(row, detail, sides) {
    const joined = detail.terms.map((term) => rest(term[T_LEFT_END]) + " with " + rest(term[T_RIGHT_END]));
    const alone = sides.map((side) => side.list.filter((one) => one.lonely).map((one) => rest(one.name)));
    return "Joined: " + ([...new Set(joined)].join(", ") || "none") + ". Only on the left: " + (alone[0].join(", ") || "none")
      + ". Only on the right: " + (alone[1].join(", ") || "none") + ".";
  }

  function terms(detail) {
    const titles = data.by_evidence
      ? ["Left fact", "Right fact", "Same with P", "Relations agree", "w", "w′", "Adds to the score"]
      : ["Left fact", "Right fact", "Same with P"];
    const lines = detail.terms.map((term) => {
      const cells = [fact(term[T_LEFT], term[T_LEFT_END]), fact(term[T_RIGHT], term[T_RIGHT_END]),
        make("td", { class: "number" }, term[T_SEED] ? "seed" : term[T_CHANCE].toFixed(4))];
      if (data.by_evidence) {
        for (const place of [T_RHO, T_W, T_W2]) cells.push(make("td", { class: "number" }, term[place].toFixed(4)));
        cells.push(make("td", { class: "number" }, term[T_SHARE].toFixed(4)));
      }
      return make("tr", null, ...cells);
    });
    const head = titles.map((title, place) => make("th", { scope: "col", class: place < 2 ? "text" : "number" }, title));
    return framed(make("table", null, make("thead", null, make("tr", null, ...head)), make("tbody", null, ...lines)), "Facts that speak for the pair");
  }

  const fact = (relation, name) => make("td", null, make("bdi", { title: full(relation >> 1) }, arrow(relation)), " ", entity(name));

  function hops(detail) {
    const items = detail.hops.map(([number, cosine, shared, seeds]) => {
      const most = seeds.map(([left, right, product]) => rest(left) + " ≡ " + rest(right) + " (" + product.toFixed(4) + ")");
      return make("li", null, "After " + count(number, "hop") + ": cosine " + cosine.toFixed(4) + ", " + count(shared, "seed") + " in common"
        + (most.length ? ", most of all " + most.join(", ") : "") + ".");
    });
    return make("ul", null, ...items);
  }

  // --- small things -----------------------------------------------------------------------------------

  function drawing(id, title, description, width, height) {
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart", "aria-labelledby": id + "-title " + id + "-desc" },
      draw("title", { id: id + "-title" }, title), draw("desc", { id: id + "-desc" }, description));
  }
  function count(number, thing) {
    return number.toLocaleString("en") + " " + thing + (number === 1 ? "" : "s");
  }
  function cut(text, most) {
    let used = 0, kept = "";
    for (const character of text) {
      used += character >= "\u1100" ? 1.75 : 1;
      if (used > most) return kept + "…";
      kept += character;
    }
    return kept;
  }

  // --- start ------------------------------------------------------------------------------------------

  const again = () => { state.page = 0; show(); };
  byId("search").addEventListener("input", again);
  byId("kind").addEventListener("change", again);
  byId("size").addEventListener("change", again);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => { state.page -= 1; show(); });
  byId("next").addEventListener("click", () => { state.page += 1; show(); });
  byId("controls").hidden = false;
  byId("rows").replaceChildren(table);
  show();
})();
