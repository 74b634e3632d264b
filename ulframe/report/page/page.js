// The page at work: the leaderboard sorts, and follows the queries that are chosen in the map.
"use strict";
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = id => document.getElementById(id);
  const floats = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
  const scores = floats(data.scores);
  const maps = data.maps.map(map => ({ real: floats(map.real), expected: floats(map.expected) }));
  const nQueries = data.queries.length, nRuns = data.runs.length;
  const count = n => n.toLocaleString("en");

  // ---------------------------------------------------------------- means
  // NaN is a score that does not count. `before` and `after` are those of the aggregates in Python.
  const AGGREGATES = {
    "mean": { before: x => x, after: mean => mean },
    "sum": { before: x => x, after: (mean, n) => mean * n },
    "geometric mean": { before: x => Math.log(Math.max(x, 1e-5)), after: mean => Math.exp(mean) },
  };

  function meansOver(chosen) {
    return data.measures.map((_, m) => {
      const { before, after } = AGGREGATES[data.aggregates[m]];
      return data.runs.map((_, r) => {
        const start = (m * nRuns + r) * nQueries;
        let sum = 0, n = 0;
        for (const q of chosen) {
          const score = scores[start + q];
          if (score === score) { sum += before(score); n += 1; }
        }
        return n ? after(sum / n, n) : null;
      });
    });
  }

  // ---------------------------------------------------------------- leaderboard
  const table = document.querySelector("#board table"), body = table.tBodies[0];
  const rows = [...body.rows];  // in the order of data.runs
  const heads = [...table.tHead.rows[0].cells];
  const whole = m => data.aggregates[m] === "sum";
  let shown = data.mean[0], sorted = { column: 1, down: true };

  const printed = (value, m) =>
    value === null ? "\u2013" : value.toFixed(whole(m) ? 0 : data.decimals).replace("-", "\u2212");

  // Marks of significance are those of all queries: for others they would be wrong.
  function fill(marks = null) {
    shown.forEach((means, m) => {
      const texts = means.map(value => printed(value, m));
      const best = texts[means.indexOf(Math.max(...means.filter(value => value !== null)))];
      const differ = new Set(texts).size > 1;
      rows.forEach((row, r) => {
        const cell = row.cells[m + 1];
        cell.textContent = texts[r];
        if (marks && marks[m][r]) {
          cell.append(Object.assign(document.createElement("sup"), { textContent: marks[m][r] }));
        }
        cell.className = differ && means[r] !== null && texts[r] === best ? "n best" : "n";
      });
    });
    sort();
  }

  function sort() {
    const { column, down } = sorted, way = down ? -1 : 1;
    const order = data.runs.map((_, r) => r);
    const worth = r => shown[column - 1][r] ?? -Infinity;
    if (column === 0) order.sort((a, b) => way * (data.runs[a] < data.runs[b] ? -1 : 1));
    else order.sort((a, b) => way * (worth(a) - worth(b)) || a - b);
    body.append(...order.map(r => rows[r]));
    heads.forEach((head, c) => {
      if (c === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  heads.forEach((head, c) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      sorted = { column: c, down: sorted.column === c ? !sorted.down : c > 0 };
      sort();
    });
    head.append(button);
  });

  // ---------------------------------------------------------------- charts
  const OPTIONS = {
    mode: "vega-lite", renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    config: { background: null, view: { stroke: null }, font: "system-ui, sans-serif" },
  };
  const views = {};
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // On dark paper the middle is dark, but lighter than the paper, which says "no difference".
  const DIVERGING_ON_DARK = ["#ffb566", "#4b5158", "#7cc8ff"];

  // What a chart draws as CSV, beside the menu's pictures; its largest table is the one meant.
  function offerCsv(id, datasets) {
    const menu = $(id).querySelector(".vega-actions");
    const rows = Object.values(datasets ?? {}).sort((a, b) => b.length - a.length)[0];
    if (!menu || !rows?.length) return;
    const columns = Object.keys(rows[0]);
    const quoted = value => {
      const text = String(value ?? "");
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns, ...rows.map(row => columns.map(name => row[name]))];
    const link = Object.assign(document.createElement("a"), {
      textContent: "Save as CSV", download: `${id}.csv`, href: "#",
    });
    link.addEventListener("click", () => {
      const text = lines.map(line => line.map(quoted).join(",") + "\n").join("");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    menu.append(link);
  }

  // Draw a chart of these rows, with `words` where the placeholder stands.
  async function draw(id, spec, rows = {}, words = data.measures[measure]) {
    views[id]?.finalize();
    const narrow = $(id).clientWidth < 480;
    const named = JSON.parse(
      JSON.stringify(spec).replaceAll(data.placeholder, JSON.stringify(words).slice(1, -1)),
      (key, value) =>
        narrow && key === "labelLimit" ? 110
        : dark.matches && value?.scheme ? { domainMid: value.domainMid, range: DIVERGING_ON_DARK }
        : value);
    named.config = {
      // Beside a narrow chart a legend would take half the room.
      ...(narrow && { legend: { orient: "bottom", columns: 2 } }),
    };
    named.datasets = { ...named.datasets, ...rows };
    const { view, finalize } = await vegaEmbed($(id), named, OPTIONS);
    views[id] = { finalize };
    offerCsv(id, named.datasets);
    return view;
  }

  function points(map) {
    return data.queries
      .map((query_id, q) => ({ q, query_id, real: map.real[q], expected: map.expected[q] }))
      .filter(point => point.real === point.real && point.expected === point.expected);
  }

  function squares() {
    const pairs = data.pairs[measure];
    const both = [];
    pairs.rows.forEach(([a, b, diff, p_adjusted, significant]) => {
      for (const [i, j, sign] of [[a, b, 1], [b, a, -1]]) {
        both.push({
          row: data.runs[pairs.order[i]], column: data.runs[pairs.order[j]],
          row_place: i, column_place: j, diff: diff === null ? null : sign * diff, p_adjusted,
          significant: significant === null ? null : !!significant,
        });
      }
    });
    return both;
  }

  // ---------------------------------------------------------------- what is chosen
  let measure = data.first, onMap = [], frame = 0;

  const set = () => +$("set").value;

  function showSet() {
    const { name, n } = data.sets[set()];
    shown = data.mean[set()];
    fill(set() === 0 ? data.marks : null);
    $("clear").disabled = true;
    $("status").textContent = `Means over ${count(n)} queries (${name}).`;
    for (const span of document.querySelectorAll(".set")) span.textContent = `${name}, ${count(n)} queries`;
  }

  function showBrush(extent) {
    if (!extent || !extent.real) { showSet(); return; }
    $("map").dataset.selected = JSON.stringify(extent);
    const inside = (value, [low, high]) => value >= low && value <= high;
    const chosen = onMap.filter(
      point => inside(point.real, extent.real) && inside(point.expected, extent.expected));
    shown = meansOver(chosen.map(point => point.q));
    fill();
    $("clear").disabled = false;
    $("status").textContent =
      `Means over the ${count(chosen.length)} selected of ${count(onMap.length)} queries in the map`
      + (data.total > nQueries ? `, which is a sample of ${count(data.total)}.` : ".");
  }

  async function drawMap() {
    const at = data.map_of[measure];
    showSet();
    if (at === null) {
      views.map?.finalize();
      $("map").textContent = "This measure has no expectation under a random ranking.";
      return;
    }
    onMap = points(maps[at]);
    const view = await draw("map", data.specs.map, { points: onMap }, data.shares[measure]);
    view.addSignalListener("brush", (_, extent) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => showBrush(extent));
    });
  }

  async function drawBars() {
    const [mean, low, high] = ["mean", "ci_low", "ci_high"].map(name => data[name][set()][measure]);
    const groups = tested() ? data.letters?.[measure] : null;
    const edge = Math.max(...high.filter(value => value !== null), ...mean.filter(value => value !== null));
    const bars = data.runs
      .map((run, r) => ({
        run, mean: mean[r], ci_low: low[r], ci_high: high[r], edge,
        said: `${printed(mean[r], measure)} ${groups?.[r] ?? ""}`.trim(),
      }))
      .sort((a, b) => (b.mean ?? -Infinity) - (a.mean ?? -Infinity));
    $("groups").textContent = groups?.some(Boolean)  // none where there are too many
      ? "Runs that share a letter do not differ significantly." : "";
    showVerdict(bars);
    await draw("bars", data.specs.bars, { bars }, data.titles[measure]);
  }

  // ---------------------------------------------------------------- which is best, and is it sure
  const tested = () => data.sets[set()].name === data.tested;

  const found = (a, b) => {
    const pairs = data.pairs?.[measure];
    const row = pairs?.rows.find(([i, j]) =>
      [pairs.order[i], pairs.order[j]].sort().join() === [a, b].sort().join());
    return row && { p: row[3], significant: row[4] };
  };

  const sureness = test => {
    if (!data.pairs) return "";
    if (!tested()) return `The tests are of the set ${data.tested}, not of this one.`;
    if (!test || test.significant === null) return "The two were not tested against each other.";
    const p = test.p < 0.0001 ? "p < 0.0001" : `p = ${test.p}`;
    return test.significant
      ? `The difference is significant (adjusted ${p}).`
      : `That is not sure: the difference is not significant (adjusted ${p}).`;
  };

  // Who else may be the best: the tests do not tell them from it.
  function alike(best) {
    const at = data.runs.indexOf(best);
    const others = data.runs.filter((_, r) => r !== at && found(at, r)?.significant === 0);
    if (!tested() || !others.length) return "";
    const more = others.length > 6 ? ` and ${count(others.length - 6)} more` : "";
    return ` Not told apart from the best: ${others.slice(0, 6).join(", ")}${more}.`;
  }

  function showVerdict([best, second]) {
    const name = data.measures[measure];
    if (best.mean === null) { $("verdict").textContent = `No run has a score by ${name}.`; return; }
    const first = `${best.run} is best by ${name}: ${printed(best.mean, measure)}`;
    if (!second || second.mean === null) { $("verdict").textContent = `${first}.`; return; }
    const ahead = printed(best.mean - second.mean, measure);
    const test = found(data.runs.indexOf(best.run), data.runs.indexOf(second.run));
    $("verdict").textContent = `${first}, ${ahead} ahead of ${second.run}. ${sureness(test)}`
      + alike(best.run);
  }

  // ---------------------------------------------------------------- two runs side by side
  async function drawTwo() {
    const [a, b] = [+$("a").value, +$("b").value];
    const at = r => (measure * nRuns + r) * nQueries;
    const both = data.queries
      .map((query_id, q) => ({ query_id, a: scores[at(a) + q], b: scores[at(b) + q] }))
      .filter(({ a, b }) => a === a && b === b)
      .map(row => ({ ...row, diff: Math.abs(row.a - row.b) < 1e-6 ? 0 : row.a - row.b }))
      .sort((one, other) => other.diff - one.diff)
      .map((row, place) => ({ ...row, place, after: place + 1 }));
    const helped = both.filter(row => row.diff > 0).length, hurt = both.filter(row => row.diff < 0).length;
    const sample = data.total > nQueries ? ", a sample" : "";
    const { p, significant = null } = found(a, b) ?? {};
    const verdict = { null: "not tested", 0: "no significant difference", 1: "they differ significantly" };
    const level = significant === null ? "" : `, adjusted p = ${p}`;
    const test = a === b ? "" : ` Over the set ${data.tested ?? "all"}: ${verdict[significant]}${level}.`;
    $("between").textContent = `Of ${count(both.length)} queries${sample}, ${data.runs[a]} is better on `
      + `${count(helped)}, ${data.runs[b]} on ${count(hurt)}; ${count(both.length - helped - hurt)} are the same.${test}`;
    await draw("differences", data.specs.differences, { both });
    await draw("against", data.specs.against, { both });
  }

  // ---------------------------------------------------------------- a link reproduces a view
  const STATE = { set: "set", measure: "measure", a: "a", b: "b" };

  function remember() {
    const chosen = new URLSearchParams();
    for (const [key, id] of Object.entries(STATE)) chosen.set(key, $(id).selectedOptions[0].dataset.name);
    history.replaceState(null, "", `#?${chosen}`);
  }

  function recall() {
    if (!location.hash.startsWith("#?")) return;
    const chosen = new URLSearchParams(location.hash.slice(2));
    for (const [key, id] of Object.entries(STATE)) {
      const option = [...$(id).options].find(({ dataset }) => dataset.name === chosen.get(key));
      if (option) $(id).value = option.value;
    }
    measure = +$("measure").value;
  }

  async function drawPairs() {
    const found = squares();
    if (found.some(square => square.significant !== null)) {
      await draw("heat", data.specs.pairs, { squares: found });
      return;
    }
    views.heat?.finalize();
    $("heat").textContent = `No pairs of runs were tested by ${data.measures[measure]}.`;
  }

  async function drawMeasure() {
    for (const span of document.querySelectorAll(".measure")) span.textContent = data.measures[measure];
    await drawMap();
    await drawBars();
    if (data.pairs) await drawPairs();
    await drawTwo();
  }

  const choices = (id, names, said, chosen) => names.forEach((name, at) => {
    const option = new Option(said(name, at), at, at === chosen, at === chosen);
    option.dataset.name = name;
    $(id).add(option);
  });
  choices("set", data.sets.map(({ name }) => name), (name, at) => `${name} (${count(data.sets[at].n)})`, 0);
  choices("measure", data.measures, name => name, measure);
  choices("a", data.runs, name => name, 0);
  choices("b", data.runs, name => name, Math.min(1, nRuns - 1));
  const CHANGED = {
    set: async () => { await drawMap(); await drawBars(); },
    measure: async () => { measure = +$("measure").value; await drawMeasure(); },
    a: drawTwo,
    b: drawTwo,
  };
  for (const [id, redraw] of Object.entries(CHANGED)) {
    $(id).addEventListener("change", async () => { remember(); await redraw(); });
  }
  $("clear").addEventListener("click", drawMap);

  async function drawAll() {
    await drawMeasure();
    for (const [id, spec] of Object.entries(data.specs.more)) await draw(id, spec);
  }
  dark.addEventListener("change", drawAll);
  window.addEventListener("hashchange", async () => {
    if (location.hash.startsWith("#?")) { recall(); await drawMeasure(); }
  });
  recall();
  await drawAll();
  document.body.dataset.ready = "yes";
})();
