/**
 * What runs in the report's page: it reads the data next to it, fills the table and draws the plots with uPlot. Plain
 * text, because it must not be touched by any bundler.
 */
export const PAGE_SCRIPT = `
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f", "#9333ea", "#b45309", "#0f766e", "#64748b"];
  const ids = [...new Set(data.rows.map((row) => row.policy))];
  const colourOf = (id) => colours[ids.indexOf(id) % colours.length];
  const dashOf = (id) => (ids.indexOf(id) < colours.length ? undefined : [5, 4]);
  const widthOf = (id) => (id === data.first ? 2.5 : 1.25);
  const budgets = [...new Set(data.rows.map((row) => row.budget))];
  const byId = (id) => document.getElementById(id);
  const whole = (value) => Math.round(value).toLocaleString("en-US");
  const short = (value) => (value >= 1e6 ? value / 1e6 + "M" : value >= 1e3 ? value / 1e3 + "k" : String(value));
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const axis = (label, values) => ({ label, stroke: isDark ? "#cbd5e1" : "#334155", grid: { stroke: isDark ? "#33415588" : "#cbd5e188" }, ...(values && { values }), size: 64 });
  const charts = new Map();

  function option(select, value, text) {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    select.append(element);
  }

  function cell(row, text, isHeader) {
    const element = document.createElement(isHeader ? "th" : "td");
    element.textContent = text;
    row.append(element);
  }

  function draw(place, options, values) {
    charts.get(place)?.destroy();
    const box = byId(place);
    const width = Math.max(320, box.clientWidth);
    charts.set(place, new uPlot({ width, height: 340, ...options }, values, box));
  }

  function table(budget) {
    const body = byId("figures");
    body.replaceChildren();
    const head = document.createElement("tr");
    for (const title of data.columns) cell(head, title, true);
    body.append(head);
    for (const row of data.rows.filter((one) => one.budget === budget)) {
      const line = document.createElement("tr");
      if (row.policy === data.first) line.className = "first";
      cell(line, row.policy, true);
      for (const text of row.cells) cell(line, text, false);
      body.append(line);
    }
  }

  function frontier(budget) {
    const points = data.rows.filter((row) => row.budget === budget && row.bill !== null && row.recall !== null);
    points.sort((a, b) => a.bill - b.bill);
    const values = [points.map((row) => row.bill), ...points.map((_, at) => points.map((row, index) => (index === at ? row.recall * 100 : null)))];
    const series = points.map((row) => ({ label: row.policy, stroke: colourOf(row.policy), fill: colourOf(row.policy), paths: () => null, points: { show: true, size: row.policy === data.first ? 12 : 8, fill: colourOf(row.policy) } }));
    const names = (chart) => {
      const { ctx } = chart;
      ctx.save();
      ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
      ctx.fillStyle = isDark ? "#e2e8f0" : "#0f172a";
      const right = chart.bbox.left + chart.bbox.width;
      for (const row of points) {
        const x = chart.valToPos(row.bill, "x", true);
        const isLate = x > right - 140 * devicePixelRatio;
        ctx.textAlign = isLate ? "right" : "left";
        ctx.fillText(row.policy, x + (isLate ? -9 : 9) * devicePixelRatio, chart.valToPos(row.recall * 100, "y", true) + 4 * devicePixelRatio);
      }
      ctx.restore();
    };
    const span = (chart, low, high) => { const pad = Math.max(0.02, (high - low) * 0.08); return [low - pad, high + pad]; };
    draw("frontier", {
      scales: { x: { time: false, range: span }, y: { range: (chart, low, high) => [Math.max(0, low - 5), Math.min(102, high + 5)] } },
      axes: [axis("bill, sending everything = 1"), axis("cold needs in the prompt, %")],
      series: [{ label: "bill" }, ...series],
      hooks: { draw: [names] },
    }, values);
  }

  function lines(place, field, title, budget, session) {
    const some = data.series.filter((one) => one.budget === budget && one.session === session);
    const longest = some.reduce((most, one) => Math.max(most, one[field].length), 0);
    const calls = Array.from({ length: longest }, (_, index) => index + 1);
    const series = some.map((one) => ({ label: one.policy, stroke: colourOf(one.policy), dash: dashOf(one.policy), width: widthOf(one.policy), points: { show: false }, value: (_, value) => (value === null || value === undefined ? "-" : whole(value)) }));
    draw(place, {
      scales: { x: { time: false } },
      axes: [axis("model call"), axis(title, (_, ticks) => ticks.map(short))],
      series: [{ label: "call" }, ...series],
    }, [calls, ...some.map((one) => one[field])]);
  }

  function sessionsAt(budget) {
    const select = byId("session");
    const chosen = select.value;
    select.replaceChildren();
    for (const name of new Set(data.series.filter((one) => one.budget === budget).map((one) => one.session))) option(select, name, name);
    if ([...select.options].some((one) => one.value === chosen)) select.value = chosen;
  }

  function show() {
    const budget = Number(byId("budget").value);
    table(budget);
    frontier(budget);
    sessionsAt(budget);
    runs();
  }

  function runs() {
    const budget = Number(byId("budget").value);
    const session = byId("session").value;
    lines("tokens", "tokens", "tokens of the prompt", budget, session);
    lines("bill", "bill", "bill so far, input tokens", budget, session);
  }

  for (const budget of budgets) option(byId("budget"), String(budget), whole(budget) + " tokens");
  byId("budget").addEventListener("change", show);
  byId("session").addEventListener("change", runs);
  addEventListener("resize", show);
  show();
})();
`;
