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

  // Draw a chart of these rows, with `words` where the placeholder stands.
  async function draw(id, spec, rows = {}, words = data.measures[measure]) {
    views[id]?.finalize();
    const narrow = $(id).clientWidth < 480;
    const named = JSON.parse(
      JSON.stringify(spec).replaceAll(data.placeholder, JSON.stringify(words).slice(1, -1)),
      (key, value) => (narrow && key === "labelLimit" ? 110 : value));
    // Beside a narrow chart a legend would take half the room.
    if (narrow) named.config = { legend: { orient: "bottom", columns: 2 } };
    named.datasets = { ...named.datasets, ...rows };
    const { view, finalize } = await vegaEmbed($(id), named, OPTIONS);
    views[id] = { finalize };
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
    const bars = data.runs.map((run, r) => ({ run, mean: mean[r], ci_low: low[r], ci_high: high[r] }))
      .sort((a, b) => b.mean - a.mean);
    await draw("bars", data.specs.bars, { bars }, data.titles[measure]);
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
  }

  data.sets.forEach(({ name, n }, at) => $("set").add(new Option(`${name} (${count(n)})`, at)));
  data.measures.forEach((name, at) => $("measure").add(new Option(name, at, at === measure, at === measure)));
  $("set").addEventListener("change", async () => { await drawMap(); await drawBars(); });
  $("clear").addEventListener("click", drawMap);
  $("measure").addEventListener("change", async event => {
    measure = +event.target.value;
    await drawMeasure();
  });
  await drawMeasure();
  for (const [id, spec] of Object.entries(data.specs.more)) await draw(id, spec);
  document.body.dataset.ready = "yes";
})();
