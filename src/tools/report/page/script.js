"use strict";

// Draws a report's document. Everything that is shown in colour is also said in words, shapes or
// numbers; every chart has its numbers in a table below it, and can be walked through with the
// arrow keys.
(function () {
  const report = JSON.parse(document.getElementById("document").textContent);
  const main = d3.select("#report");
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00", "#7a52c7"];
  const dashes = ["", "6 3", "2 3", "8 3 2 3"];
  const marks = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar];

  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  function sizeText(bytes) {
    if (bytes === null) return "any size";
    const units = ["", " KB", " MB", " GB"];
    let unit = 0;
    while (bytes >= 1024 && bytes % 1024 === 0 && unit < 3) { bytes /= 1024; unit++; }
    return bytes.toLocaleString("en") + (unit ? units[unit] : " B");
  }
  function timeText(seconds) {
    if (!(seconds > 0)) return "0";
    const [factor, unit] = seconds < 1e-6 ? [1e9, "ns"] : seconds < 1e-3 ? [1e6, "µs"] : seconds < 1 ? [1e3, "ms"] : [1, "s"];
    return `${Number((seconds * factor).toPrecision(3))} ${unit}`;
  }
  // Numbers that are infinite, or none, are null: the clock did not see one of two times.
  const ratioText = (ratio, digits = 2) => (Number.isFinite(ratio) ? ratio.toFixed(digits) : "not known");
  const gainText = (gain) => (Number.isFinite(gain) ? `${gain.toFixed(2)}×` : "not known");
  // A link whose bytes take no time has the largest bandwidth that files know, within rounding.
  const speedText = (bytes) => (bytes > 0.99e15 ? "no limit" : `${Number((bytes / 1e6).toPrecision(3))} MB/s`);
  const hostsText = (hosts) => (hosts > 0 ? plural(hosts, "host") : "any hosts");
  const placeText = (one) => `${plural(one.ranks, "rank")}${one.hosts === undefined ? "" : `, ${hostsText(one.hosts)}`}`;
  // Files go by their names, or by their paths where two have one name.
  const files = [...report.campaigns, ...report.prices, ...report.networks, ...report.profiles].map((one) => one.file);
  const baseOf = (file) => file.replace(/.*\//, "");
  const told_apart = new Set(files).size === new Set(files.map(baseOf)).size;
  const fileOf = (one) => (told_apart ? baseOf(one.file) : one.file);
  const nameOf = (campaign) => `${fileOf(campaign)}${campaign.mpi ? `: ${campaign.mpi}` : ""}`;
  const say = (text) => d3.select("#said").text(text);

  // A part of the page, and its entry in the list of parts.
  const nav = { list: null };
  function part(id, title) {
    nav.list.append("li").append("a").attr("href", `#${id}`).text(title);
    const section = main.append("section").attr("aria-labelledby", id);
    section.append("h2").attr("id", id).text(title);
    return section;
  }

  function choice(controls, label, values, text, then) {
    const select = controls.append("label").text(label).append("select");
    select.selectAll("option").data(values).enter().append("option").attr("value", (_, i) => i).text(text);
    select.on("change", function () { then(values[+this.value]); });
    return select;
  }

  function plainTable(parent, caption, heads, rows) {
    const details = parent.append("details");
    details.append("summary").text(caption);
    // Filled when it is opened: there may be thousands of them.
    details.on("toggle", function () {
      if (!this.open || details.select("table").size()) return;
      const table = details.append("div").attr("class", "wide").append("table");
      table.append("thead").append("tr").selectAll("th").data(heads).enter().append("th").attr("scope", "col").text((d) => d);
      const lines = table.append("tbody").selectAll("tr").data(rows()).enter().append("tr");
      lines.selectAll("td").data((d) => d).enter().append("td").text((d) => d);
    });
  }

  // ---- what was gained

  function headlines() {
    for (const campaign of report.campaigns) {
      const { headline } = campaign;
      main.append("h3").text(report.campaigns.length > 1 ? nameOf(campaign) : campaign.mpi || fileOf(campaign));
      main.append("p").attr("class", "faint").text(
        [campaign.machine, campaign.origin ? `${campaign.origin.date}, ${Math.round(campaign.origin.seconds)} s of measuring` : "",
          plural(campaign.measurements, "measurement")].filter(Boolean).join(" · "));
      const cards = main.append("dl").attr("class", "cards");
      const card = (term, value, more) => {
        const one = cards.append("div").attr("class", "card");
        one.append("dt").text(term);
        const figure = one.append("dd").text(value);
        if (more) figure.append("small").text(more);
      };
      if (headline.points === 0) {
        card("Gain", "none yet", "no point was measured both natively and with a plan");
        continue;
      }
      card("Faster than native", gainText(headline.geometric_mean), `geometric mean of ${plural(headline.points, "point")}`);
      if (headline.largest) {
        const best = headline.largest;
        card("Largest gain", gainText(best.gain), `${best.operation}, ${sizeText(best.size)} on ${placeText(best)}: ${best.plan}`);
      }
      card("Native stays", `${headline.native} of ${headline.points}`, "points at which no plan is surely faster");
    }
  }

  // ---- before and after

  function comparisonPart() {
    const { comparison } = report;
    const section = part("comparison", "Before and after");
    section.append("p").attr("class", "verdict").text(comparison.verdict);
    for (const when of ["before", "after"]) {
      const side = comparison[when];
      section.append("p").attr("class", "faint").text([`${when}: ${side.file}`, side.mpi, side.machine, side.about,
        side.run_s === undefined ? "" : `the run took ${timeText(side.run_s)}`,
        side.alone.length ? `${plural(side.alone.length, "kind")} of calls only here` : ""].filter(Boolean).join(" · "));
    }
    const ratio = ([low, middle, high]) => (middle === null ? "not known" : high === null ? middle.toFixed(2) : `${middle.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`);
    plainTable(section, `All ${comparison.calls.length} kinds of calls`, ["calls", "change", "ratio", "of the run", "before", "after", "plan before", "plan after"],
      () => comparison.calls.map((c) => [c.calls, c.change, ratio(c.ratio), c.of_run === undefined ? "" : `${(100 * c.of_run).toFixed(1)} %`,
        timeText(c.before_s[1]), timeText(c.after_s[1]), c.before_plan, c.after_plan]));
    section.select("details").attr("open", true);
  }

  // ---- time against size

  function seriesOf(curve) {
    const chosen = new Set(curve.chosen ? curve.chosen.map((c) => c[1]) : []);
    const at = new Map((curve.chosen || []).map((c) => [c[0], c[1]]));
    const measured = curve.series.map((s) => ({
      name: s.plan, kind: s.points[0].length > 2 ? "measured" : "priced",
      points: s.points.map((p) => ({
        size: p[0], seconds: p[1], low: p[2], high: p[3], ratio: p[4], ratioLow: p[5], ratioHigh: p[6], repetitions: p[7],
        price: p[8], remark: p[9], chosen: at.get(p[0]) === s.plan,
      })).sort((a, b) => a.size - b.size),
    }));
    // Native first, then what was chosen, then the fastest.
    const mean = (s) => d3.mean(s.points, (p) => (p.ratio ? Math.log(p.ratio) : Math.log(p.seconds)));
    measured.sort((a, b) => (b.name === "native") - (a.name === "native") || chosen.has(b.name) - chosen.has(a.name) || mean(a) - mean(b));
    measured.forEach((s, i) => { s.look = i; s.shown = i < 5 || chosen.has(s.name); });
    const extra = [];
    for (const s of measured) {
      const told = s.points.filter((p) => p.price > 0);
      if (told.length && (chosen.has(s.name) || measured.length === 1))
        extra.push({ name: `${s.name}, as predicted`, kind: "predicted", look: s.look, shown: false, points: told.map((p) => ({ size: p.size, seconds: p.price })) });
    }
    if (curve.limit.length)
      extra.push({ name: "limit of the network", kind: "limit", look: -1, shown: true, points: curve.limit.map((p) => ({ size: p[0], seconds: p[1] })) });
    return [...measured, ...extra];
  }
  const colourOf = (s) => (s.look < 0 ? "var(--faint)" : s.name === "native" ? "var(--ink)" : colours[s.look % colours.length]);
  const dashOf = (s) => (s.kind === "limit" ? "1 4" : s.kind === "predicted" ? "3 5" : dashes[Math.floor(s.look / colours.length) % dashes.length]);
  const markOf = (s) => marks[Math.max(0, s.look) % marks.length];
  function pointText(s, p) {
    const words = [`${s.name}, ${sizeText(p.size)}: ${timeText(p.seconds)}`];
    if (p.low !== undefined && p.high > p.low) words.push(`${timeText(p.low)} to ${timeText(p.high)}`);
    if (p.ratio !== undefined && s.name !== "native") words.push(`${ratioText(p.ratio)} of native (${ratioText(p.ratioLow)} to ${ratioText(p.ratioHigh)})`);
    if (p.repetitions) words.push(plural(p.repetitions, "repetition"));
    if (p.price > 0) words.push(`predicted ${timeText(p.price)}`);
    if (p.remark) words.push(p.remark);
    if (p.chosen) words.push("chosen");
    return words.join("; ");
  }

  function curveFigure(parent, curve) {
    const list = seriesOf(curve);
    const title = `${curve.operation} on ${placeText(curve)}`;
    const figure = parent.append("figure");
    figure.append("figcaption").text(title);
    const width = 560, height = 340, left = 62, right = 12, top = 10, bottom = 40;
    const stage = figure.append("div").attr("class", "stage");
    const svg = stage.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("tabindex", 0).attr("class", "curves")
      .attr("aria-label", `${title}: time against size, both logarithmic. Arrow keys walk through the points; the table below has the numbers.`);
    const tip = stage.append("div").attr("class", "tip").attr("hidden", true);
    const every = list.flatMap ? list.flatMap((s) => s.points) : d3.merge(list.map((s) => s.points));
    const x = d3.scaleLog().base(2).domain(d3.extent(every, (p) => Math.max(1, p.size))).range([left + 8, width - right - 8]);
    if (x.domain()[0] === x.domain()[1]) x.domain([x.domain()[0] / 2, x.domain()[1] * 2]);
    const sizes = Array.from(new Set(every.map((p) => Math.max(1, p.size)))).sort(d3.ascending);
    const step = Math.ceil(sizes.length / 8);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`)
      .call(d3.axisBottom(x).tickValues(sizes.filter((_, i) => i % step === 0)).tickFormat((d) => (every.some((p) => p.size === 0 && d === 1) ? "no size" : sizeText(d).replace(/ B$/, ""))));
    svg.append("text").attr("class", "faint").attr("x", width - right).attr("y", height - 6).attr("text-anchor", "end").text("bytes");
    const vertical = svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`);
    const plot = svg.append("g");
    const cursor = svg.append("circle").attr("r", 8).attr("fill", "none").attr("stroke", "var(--accent)").attr("stroke-width", 3).attr("visibility", "hidden");
    let walk = [], step_at = -1, y;

    function draw() {
      const shown = list.filter((s) => s.shown);
      // What the clock did not see lies at the bottom of a logarithmic axis.
      const extent = d3.extent(d3.merge(shown.map((s) => s.points)).filter((p) => p.seconds > 0), (p) => p.seconds);
      y = d3.scaleLog().domain(extent[0] ? [extent[0] * 0.8, extent[1] * 1.25] : [1e-6, 1]).range([height - bottom, top]);
      const steps = Math.log10(y.domain()[1] / y.domain()[0]) > 2.5 ? [1] : [1, 2, 5];
      const nice = y.ticks(60).filter((t) => steps.some((s) => Math.abs(t / Math.pow(10, Math.floor(Math.log10(t * 1.0001))) - s) < 0.01));
      vertical.call(d3.axisLeft(y).tickValues(nice).tickFormat(timeText));
      plot.selectAll("*").remove();
      const px = (p) => x(Math.max(1, p.size)), py = (p) => y(Math.max(p.seconds, y.domain()[0]));
      for (const s of shown) {
        const colour = colourOf(s);
        if (s.kind === "measured")
          plot.append("path").attr("class", "band").attr("fill", colour).attr("opacity", 0.15)
            .attr("d", d3.area().x(px).y0((p) => y(Math.max(p.low, y.domain()[0]))).y1((p) => y(Math.max(p.high, y.domain()[0])))(s.points));
        plot.append("path").attr("class", "curve").attr("fill", "none").attr("stroke", colour).attr("stroke-width", s.name === "native" ? 2.5 : 1.7)
          .attr("stroke-dasharray", dashOf(s)).attr("d", d3.line().x(px).y(py)(s.points));
        if (s.kind !== "limit")
          plot.append("g").selectAll("path").data(s.points).enter().append("path").attr("class", "mark").attr("fill", colour)
            .attr("d", d3.symbol().type(markOf(s)).size(34)()).attr("transform", (p) => `translate(${px(p)},${py(p)})`);
        plot.append("g").selectAll("circle").data(s.points.filter((p) => p.chosen)).enter().append("circle").attr("class", "chosen")
          .attr("r", 7).attr("fill", "none").attr("stroke", colour).attr("cx", px).attr("cy", py);
      }
      walk = d3.merge(shown.map((s) => s.points.map((p) => ({ s, p, x: px(p), y: py(p) }))));
      step_at = -1;
      hide();
    }
    function hide() { tip.attr("hidden", true); cursor.attr("visibility", "hidden"); }
    function show(at, aloud) {
      const share = svg.node().getBoundingClientRect().width / width;
      cursor.attr("visibility", null).attr("cx", at.x).attr("cy", at.y);
      tip.attr("hidden", null).text(pointText(at.s, at.p))
        .style("left", `${Math.min(at.x, width * 0.6) * share}px`).style("top", `${(at.y + 14) * share}px`);
      if (aloud) say(pointText(at.s, at.p));
    }
    svg.on("mousemove", function () {
      const [mx, my] = d3.mouse(this);
      const near = walk.length ? walk.reduce((a, b) => (Math.hypot(a.x - mx, a.y - my) <= Math.hypot(b.x - mx, b.y - my) ? a : b)) : null;
      near && Math.hypot(near.x - mx, near.y - my) < 40 ? show(near, false) : hide();
    }).on("mouseleave", hide).on("blur", hide).on("keydown", function () {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[d3.event.key];
      if (!by || !walk.length) return;
      d3.event.preventDefault();
      step_at = (step_at + by + walk.length) % walk.length;
      show(walk[step_at], true);
    });

    const legend = figure.append("div").attr("class", "legend").attr("role", "group").attr("aria-label", `Curves of ${title}`);
    const others = list.filter((s) => !s.shown);
    let rest = legend;
    if (others.length) {
      const details = figure.append("details");
      details.append("summary").text(`${others.length} more`);
      rest = details.append("div").attr("class", "legend").attr("role", "group").attr("aria-label", `More curves of ${title}`);
    }
    for (const s of list) {
      const button = (s.shown ? legend : rest).append("button").attr("type", "button").attr("aria-pressed", s.shown);
      const sample = button.append("svg").attr("viewBox", "0 0 32 14").attr("aria-hidden", true);
      sample.append("path").attr("d", "M0 7H32").attr("stroke", colourOf(s)).attr("stroke-width", 2).attr("stroke-dasharray", dashOf(s));
      if (s.kind !== "limit") sample.append("path").attr("d", d3.symbol().type(markOf(s)).size(34)()).attr("transform", "translate(16,7)").attr("fill", colourOf(s));
      button.append("span").text(s.name);
      button.on("click", function () {
        s.shown = !s.shown;
        d3.select(this).attr("aria-pressed", s.shown);
        draw();
      });
    }
    draw();
    plainTable(figure, "The numbers", ["plan", "size", "time", "low", "high", "of native", "repetitions", "predicted", ""],
      () => d3.merge(list.filter((s) => s.kind !== "predicted").map((s) => s.points.map((p) => [s.name, sizeText(p.size), timeText(p.seconds),
        p.low === undefined ? "" : timeText(p.low), p.high === undefined ? "" : timeText(p.high), p.ratio === undefined ? "" : ratioText(p.ratio, 3),
        p.repetitions || "", p.price > 0 ? timeText(p.price) : "", [p.chosen ? "chosen" : "", p.remark].filter(Boolean).join(", ")]))));
  }

  function curvesPart(groups) {
    const section = part("time", "Time against size");
    section.append("p").text("Both axes are logarithmic. Bands are 95 % confidence intervals; a ring marks what was chosen at that size. Click on a name to hide or show its curve.");
    const controls = section.append("div").attr("class", "controls");
    const file = controls.append("span"), places = controls.append("span");
    const figures = section.append("div").attr("class", "figures");
    let group, place;
    function draw() {
      figures.selectAll("*").remove();
      for (const curve of group.curves) if (placeText(curve) === place) curveFigure(figures, curve);
    }
    const placesOf = (one) => Array.from(new Set(one.curves.slice().sort((a, b) => b.ranks - a.ranks || b.hosts - a.hosts).map(placeText)));
    function use(one) {
      group = one;
      const all = placesOf(one);
      place = all[0];
      places.selectAll("*").remove();
      choice(places, "Ranks and hosts", all, (d) => d, (chosen) => { place = chosen; draw(); });
      draw();
    }
    if (groups.length > 1) choice(file, "File", groups, (g) => g.title, use);
    use(groups[0]);
  }

  // ---- the fastest plan over ranks and sizes

  function mapsPart() {
    const section = part("map", "The fastest plan over ranks and sizes");
    section.append("p").text("Each field names what is chosen there and how much faster it is than native; darker is more.");
    const controls = section.append("div").attr("class", "controls");
    const figures = section.append("div").attr("class", "maps");
    const campaigns = report.campaigns.filter((c) => c.curves.some((curve) => curve.chosen.length));
    function use(campaign) {
      figures.selectAll("*").remove();
      for (const [operation, curves] of d3.nest().key((c) => c.operation).entries(campaign.curves).map((e) => [e.key, e.values])) mapFigure(figures, operation, curves);
    }
    if (campaigns.length > 1) choice(controls, "File", campaigns, nameOf, use);
    use(campaigns[0]);
  }

  function mapFigure(parent, operation, curves) {
    const fields = [];
    for (const curve of curves)
      for (const [size, plan] of curve.chosen) {
        const at = (name) => (curve.series.find((s) => s.plan === name) || { points: [] }).points.find((p) => p[0] === size);
        const native = at("native"), chosen = at(plan);
        if (native && chosen) fields.push({ place: placeText(curve), ranks: curve.ranks, hosts: curve.hosts, size, plan, gain: chosen[1] > 0 && native[1] > 0 ? native[1] / chosen[1] : null });
      }
    if (!fields.length) return;
    const places = Array.from(new Set(fields.slice().sort((a, b) => a.ranks - b.ranks || a.hosts - b.hosts).map((f) => f.place)));
    const sizes = Array.from(new Set(fields.map((f) => f.size))).sort(d3.ascending);
    const cell = Math.max(62, Math.min(130, 1000 / sizes.length)), row = 38, left = 130;
    const width = left + cell * sizes.length + 4, height = 24 + row * places.length;
    const figure = parent.append("figure");
    figure.append("figcaption").text(operation);
    const svg = figure.append("div").attr("class", "wide").append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("class", "map")
      .style("width", `${width}px`).style("max-width", "none").attr("aria-label", `${operation}: what is chosen, by ranks and size; the table below has the numbers.`);
    const colour = d3.scaleSequentialLog ? d3.scaleSequentialLog(d3.interpolateBlues).domain([0.7, 8]).clamp(true) : (g) => d3.interpolateBlues(Math.min(1, Math.log(g / 0.7) / Math.log(8 / 0.7)));
    svg.selectAll("text.size").data(sizes).enter().append("text").attr("class", "size").attr("x", (_, i) => left + cell * (i + 0.5)).attr("y", 14).attr("text-anchor", "middle").text(sizeText);
    svg.selectAll("text.place").data(places).enter().append("text").attr("class", "place").attr("x", left - 6).attr("y", (_, i) => 24 + row * (i + 0.6)).attr("text-anchor", "end").text((d) => d);
    const spots = svg.selectAll("g.field").data(fields).enter().append("g").attr("class", "field")
      .attr("transform", (f) => `translate(${left + cell * sizes.indexOf(f.size)},${24 + row * places.indexOf(f.place)})`);
    const dark = (f) => f.plan !== "native" && f.gain > 3.4;
    spots.append("rect").attr("width", cell - 2).attr("height", row - 2).attr("rx", 3).attr("fill", (f) => (f.plan === "native" || f.gain === null ? "var(--panel)" : colour(f.gain))).attr("stroke", "var(--line)");
    const ink = (f) => (f.plan === "native" || f.gain === null ? "var(--ink)" : dark(f) ? "#ffffff" : "#10243e");
    const letters = Math.floor(cell / 6.2);
    spots.append("text").attr("x", 4).attr("y", 15).style("fill", ink).style("font-size", "11px").text((f) => (f.plan.length > letters ? `${f.plan.slice(0, letters - 1)}…` : f.plan));
    spots.append("text").attr("x", 4).attr("y", 30).style("fill", ink).style("font-size", "11px").style("font-weight", 600).text((f) => (f.plan === "native" ? "" : gainText(f.gain)));
    spots.append("title").text((f) => `${f.place}, ${sizeText(f.size)}: ${f.plan}, ${gainText(f.gain)}`);
    plainTable(figure, "The numbers", ["ranks and hosts", "size", "plan", "gain"], () => fields.map((f) => [f.place, sizeText(f.size), f.plan, gainText(f.gain)]));
  }

  // ---- decisions

  function decisionsPart() {
    const all = d3.merge(report.campaigns.map((c) => c.decisions.map((d) => Object.assign({ file: fileOf(c) }, d))));
    const section = part("decisions", "Decisions");
    const controls = section.append("div").attr("class", "controls");
    const search = controls.append("label").text("Search").append("input").attr("type", "search").attr("id", "search").attr("placeholder", "bcast ring 64");
    const count = controls.append("span").attr("class", "faint").attr("role", "status");
    const heads = [["operation", "operation"], ["ranks", "ranks", 1], ["hosts", "hosts", 1], ["from", "size_min", 1], ["to", "size_max", 1], ["plan", "plan"], ["reason", "reason"]];
    if (report.campaigns.length > 1) heads.push(["file", "file"]);
    const table = section.append("div").attr("class", "wide").append("table").attr("id", "decision-table");
    const head = table.append("thead").append("tr").selectAll("th").data(heads).enter().append("th").attr("scope", "col").classed("number", (h) => h[2]);
    let by = null, falling = false, most = 200;
    head.append("button").attr("type", "button").text((h) => h[0]).on("click", (h) => { falling = by === h[1] ? !falling : false; by = h[1]; draw(); });
    const body = table.append("tbody");
    const more = section.append("button").attr("class", "more").attr("type", "button").text("Show more").on("click", () => { most += 1000; draw(); });
    const ranksOf = (d) => (d.ranks_max !== d.ranks ? `${d.ranks} to ${d.ranks_max > 1e9 ? "any" : d.ranks_max}` : `${d.ranks}`);
    const text = (d) => [d.operation, ranksOf(d), d.hosts > 0 ? d.hosts : "any", sizeText(d.size_min), d.size_max === null ? "any" : sizeText(d.size_max), d.plan, d.reason, d.file].slice(0, heads.length);
    function draw() {
      const words = search.property("value").toLowerCase().split(/\s+/).filter(Boolean);
      let found = all.filter((d) => { const line = text(d).join(" ").toLowerCase(); return words.every((w) => line.includes(w)); });
      if (by) found = found.slice().sort((a, b) => (falling ? d3.descending : d3.ascending)(a[by] === null ? Infinity : a[by], b[by] === null ? Infinity : b[by]));
      head.attr("aria-sort", (h) => (h[1] !== by ? null : falling ? "descending" : "ascending"));
      count.text(`${found.length} of ${all.length}`);
      body.selectAll("tr").remove();
      const rows = body.selectAll("tr").data(found.slice(0, most)).enter().append("tr");
      rows.selectAll("td").data(text).enter().append("td").classed("number", (_, i) => heads[i][2]).text((d) => d);
      // A plan's name unfolds what it does.
      rows.each(function (d) {
        const drawing = report.drawings[`${d.operation} ${d.plan}`];
        if (!drawing) return;
        const details = d3.select(this).select("td:nth-child(6)").text("").append("details");
        details.append("summary").text(d.plan);
        details.on("toggle", function () { if (this.open && !this.querySelector("svg")) details.append("div").html(drawing); });
      });
      more.style("display", found.length > most ? null : "none");
    }
    search.on("input", draw);
    draw();
  }

  // ---- networks

  function networkPart() {
    const section = part("network", "The network");
    for (const network of report.networks) {
      section.append("h3").text(fileOf(network));
      section.append("p").text(`${network.ranks ? plural(network.ranks, "rank") : "any number of ranks"}${network.hosts ? ` on ${plural(network.hosts, "host")}` : ""}; ` +
        `messages of up to ${sizeText(network.eager_bytes)} leave before their receiver is ready${network.half_duplex ? "; ports either send or receive" : ""}.`);
      const rate = (l) => (l.seconds_per_byte > 0 ? `${Number((1e-6 / l.seconds_per_byte).toPrecision(3))} MB/s` : "no limit");
      const table = section.append("div").attr("class", "wide").append("table");
      table.append("thead").append("tr").selectAll("th").data(["link", "latency", "bandwidth"]).enter().append("th").attr("scope", "col").text((d) => d);
      const lines = table.append("tbody").selectAll("tr").data(network.links).enter().append("tr");
      lines.selectAll("td").data((l, i) => [`${i + 1}`, timeText(l.latency_s), rate(l)]).enter().append("td").text((d) => d);
      const figures = section.append("div").attr("class", "figures");
      if (network.link_of) {
        matrix(figures, network, "Latency", (l) => l.latency_s, timeText);
        matrix(figures, network, "Bandwidth", (l) => 1 / Math.max(l.seconds_per_byte, 1e-15), speedText);
      }
      if (network.groups.length) groupBoxes(figures, network);
      if (network.pools && network.pools.pools.length) pools(figures, network);
      if (network.trunks && network.trunks.length)
        section.append("p").text("Trunks: " + network.trunks.map((t) => `from the site of rank ${t.from} to that of rank ${t.to}` + (t.seconds_per_byte > 0 ? ` ${Number((1e-6 / t.seconds_per_byte).toPrecision(3))} MB/s together` : "")).join("; ") + ".");
    }
  }

  function matrix(parent, network, title, of, text) {
    const ranks = network.link_of.length, cell = 480 / ranks, left = 36;
    const figure = parent.append("figure");
    figure.append("figcaption").text(`${title} between ranks${ranks < network.ranks ? `, the first ${ranks}` : ""}`);
    const values = network.links.map(of);
    const seen = (v) => Math.max(v, 1e-12);  // a latency of nothing is on no logarithmic scale
    const scale = d3.scaleLog().domain(d3.extent(values, seen)).range([0.15, 0.85]);
    const shade = (v) => d3.interpolateViridis(d3.min(values) === d3.max(values) ? 0.5 : scale(seen(v)));
    const svg = figure.append("svg").attr("viewBox", `0 0 ${left + 484} ${left + 484}`).attr("role", "img").attr("class", "matrix")
      .attr("aria-label", `${title} between ranks: ` + network.links.map((l, i) => `link ${i + 1} ${text(of(l))}`).join(", "));
    // Neighbours in a row that are alike are one mark.
    network.link_of.forEach((row, from) => {
      for (let first = 0, to = 1; to <= ranks; ++to)
        if (to === ranks || row[to] !== row[first]) {
          if (row[first] >= 0)
            svg.append("rect").attr("x", left + first * cell).attr("y", left + from * cell).attr("width", (to - first) * cell).attr("height", cell)
              .attr("fill", shade(values[row[first]])).append("title").text(`rank ${from} to ${first}${to - first > 1 ? ` … ${to - 1}` : ""}: ${text(values[row[first]])}`);
          first = to;
        }
    });
    const ticks = d3.ticks(0, ranks - 1, Math.min(8, ranks)).filter(Number.isInteger);
    svg.selectAll("text.to").data(ticks).enter().append("text").attr("class", "to").attr("x", (t) => left + (t + 0.5) * cell).attr("y", left - 6).attr("text-anchor", "middle").text((t) => t);
    svg.selectAll("text.from").data(ticks).enter().append("text").attr("class", "from").attr("x", left - 6).attr("y", (t) => left + (t + 0.5) * cell + 4).attr("text-anchor", "end").text((t) => t);
    const legend = figure.append("div").attr("class", "legend");
    Array.from(new Set(values)).sort(d3.ascending).forEach((v) => {
      const item = legend.append("span");
      swatch(item, shade(v));
      item.append("span").text(text(v));
    });
  }

  function ranksText(ranks) {
    const runs = [];
    for (const rank of ranks) {
      const last = runs[runs.length - 1];
      last && last[1] === rank - 1 ? (last[1] = rank) : runs.push([rank, rank]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
  }

  // Each group as a box as wide as it has ranks, below the one that it is part of.
  function groupBoxes(parent, network) {
    const figure = parent.append("figure");
    figure.append("figcaption").text("Groups, as wide as they have ranks, and what leaves one at a time");
    const root = d3.hierarchy({ ranks: d3.sum(network.groups, (g) => g.ranks), groups: network.groups }, (g) => g.groups);
    const row = 40, width = 520, least = 70;
    // Ranks that are in no group within another keep their room beside it.
    root.sum((g) => g.ranks - d3.sum(g.groups, (inner) => inner.ranks));
    d3.partition().size([width, row * (root.height + 1)])(root);
    const rate = (s) => (s > 0 ? `${Number((1e-6 / s).toPrecision(3))} MB/s` : "no limit");
    const boxes = root.descendants().filter((d) => d.depth);
    const svg = figure.append("svg").attr("viewBox", `0 0 ${width} ${row * root.height}`).attr("role", "img").attr("class", "groups")
      .attr("aria-label", `Groups: ${d3.range(1, root.height + 1).map((depth) => `${boxes.filter((d) => d.depth === depth).length} on level ${depth}`).join(", ")}`);
    const marks = svg.selectAll("g").data(boxes).enter().append("g").attr("transform", (d) => `translate(${d.x0},${d.y0 - row})`);
    marks.append("rect").attr("width", (d) => Math.max(0.5, d.x1 - d.x0 - 1)).attr("height", row - 1)
      .attr("fill", (d) => d3.interpolateViridis(0.85 - (0.5 * d.depth) / (root.height + 1)))
      .append("title").text((d) => `${d.data.name}: ${plural(d.data.ranks, "rank")}; out ${rate(d.data.out)}, in ${rate(d.data.in)}, between two parts ${rate(d.data.between)}`);
    const wide = marks.filter((d) => d.x1 - d.x0 > least);
    wide.append("text").attr("x", 5).attr("y", 16).text((d) => d.data.name);
    wide.append("text").attr("x", 5).attr("y", 32).text((d) => rate(d.data.out));
  }

  function pools(parent, network) {
    const figure = parent.append("figure");
    figure.append("figcaption").text("Pools: ranks that are near to each other");
    const root = d3.hierarchy(network.pools, (p) => p.pools);
    const width = 520, height = Math.max(120, root.leaves().length * 48);
    d3.cluster().size([height - 20, width - 220])(root);
    const svg = figure.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("class", "pools").attr("aria-label", "Tree of pools");
    svg.selectAll("path").data(root.links()).enter().append("path").attr("fill", "none").attr("stroke", "var(--faint)")
      .attr("d", d3.linkHorizontal().x((d) => d.y + 20).y((d) => d.x + 10));
    const nodes = svg.selectAll("g").data(root.descendants()).enter().append("g").attr("transform", (d) => `translate(${d.y + 20},${d.x + 10})`);
    nodes.append("circle").attr("r", 5).attr("fill", "var(--accent)");
    nodes.append("text").attr("x", 9).attr("y", (d) => (d.children ? -8 : 4))
      .text((d) => `${plural(d.data.ranks.length, "rank")} (${ranksText(d.data.ranks)}), ${speedText(d.data.bytes_per_second)}`);
  }

  // ---- where a program's time goes

  function profilePart() {
    const section = part("profile", "Where the program's time goes");
    for (const profile of report.profiles) {
      section.append("h3").text(fileOf(profile));
      section.append("p").attr("class", "faint").text(`${profile.mpi} on ${profile.machine} · ${placeText(profile)} · ${profile.date}` +
        (profile.profiled_ranks < profile.ranks ? " · of rank 0 only" : ""));
      shares(section, profile);
      lateRanks(section, profile);
      kinds(section, profile);
      otherFunctions(section, profile);
    }
  }

  function swatch(item, colour) {
    item.append("span").attr("class", "swatch").style("background", colour).attr("aria-hidden", true);
  }

  // The run as one bar.
  function shares(parent, profile) {
    const waiting = d3.sum(profile.calls, (c) => c.waiting_at_least_s), perhaps = d3.sum(profile.calls, (c) => c.waiting_at_most_s) - waiting;
    const parts = [[profile.functions.length ? "outside of MPI" : "outside of collective calls", Math.max(0, profile.seconds - profile.collective_s - profile.other_s), "var(--line)"],
      ...(profile.functions.length ? [["in other functions of MPI", profile.other_s, colours[3]]] : []),
      ["in collective calls, at work", Math.max(0, profile.collective_s - waiting - perhaps), colours[0]],
      ["at work or waiting", perhaps, colours[5]], ["waiting for late ranks", waiting, colours[4]]];
    const width = 1000, height = 44;
    const figure = parent.append("figure");
    figure.append("figcaption").text(`The run: ${timeText(profile.seconds)}`);
    const x = d3.scaleLinear().domain([0, d3.sum(parts, (p) => p[1]) || 1]).range([0, width]);
    const svg = figure.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("class", "shares")
      .attr("aria-label", parts.map((p) => `${p[0]} ${timeText(p[1])}`).join(", "));
    const legend = figure.append("div").attr("class", "legend");
    let from = 0;
    for (const [name, seconds, colour] of parts) {
      svg.append("rect").attr("x", x(from)).attr("y", 4).attr("width", x(seconds)).attr("height", 36).attr("fill", colour).append("title").text(`${name}: ${timeText(seconds)}`);
      from += seconds;
      const item = legend.append("span");
      swatch(item, colour);
      item.append("span").text(`${name}: ${timeText(seconds)}, ${(100 * seconds / (profile.seconds || 1)).toFixed(0)} %`);
    }
  }

  // Who comes late, a line for each operation.
  function lateRanks(parent, profile) {
    if (!profile.late.length) return;
    parent.append("p").text("Ranks that others wait for:");
    parent.append("ul").attr("class", "late").selectAll("li").data(profile.late).join("li").text((l) => l.text);
  }

  // The kinds of calls that take most of it, as bars.
  function kinds(parent, profile) {
    const most = profile.calls.slice().sort((a, b) => b.seconds - a.seconds), drawn = most.slice(0, 15);
    if (!drawn.length) return;
    const row = 26, left = 330, width = 1000;
    const x = d3.scaleLinear().domain([0, drawn[0].seconds || 1]).range([0, width - left - 110]);
    const nameOfCalls = (c) => `${c.operation}, ${sizeText(Math.round(c.size))}, ${plural(c.ranks, "rank")}${c.communicator && c.communicator !== "MPI_COMM_WORLD" ? `, ${c.communicator}` : ""}${c.phase ? `, ${c.phase}` : ""}`;
    const figure = parent.append("figure");
    figure.append("figcaption").text("The calls that take longest, and what of it is waiting for late ranks");
    const svg = figure.append("div").attr("class", "wide").append("svg").attr("viewBox", `0 0 ${width} ${row * drawn.length}`).attr("role", "img").attr("class", "calls")
      .style("min-width", "560px").attr("aria-label", "Time by kind of calls; the table below has the numbers.");
    drawn.forEach((c, i) => {
      const y = i * row + 4;
      const bar = (seconds, colour) => svg.append("rect").attr("x", left + x(c.seconds - seconds)).attr("y", y).attr("width", x(seconds)).attr("height", row - 8).attr("fill", colour);
      svg.append("text").attr("x", left - 8).attr("y", y + 13).attr("text-anchor", "end").text(nameOfCalls(c));
      bar(c.seconds, colours[0]), bar(c.waiting_at_most_s, colours[5]), bar(c.waiting_at_least_s, colours[4]);
      svg.append("text").attr("x", left + x(c.seconds) + 6).attr("y", y + 13).text(timeText(c.seconds));
    });
    plainTable(figure, `All ${most.length} kinds`, ["operation", "ranks", "hosts", "communicator", "phase", "average size", "plan", "calls of a rank", "time", "waiting at least", "at most"],
      () => most.map((c) => [c.operation, c.ranks, c.hosts || "unknown", c.communicator, c.phase, sizeText(Math.round(c.size)), c.plan, Math.round(c.calls).toLocaleString("en"), timeText(c.seconds), timeText(c.waiting_at_least_s), timeText(c.waiting_at_most_s)]));
  }

  function otherFunctions(parent, profile) {
    if (!profile.functions.length) return;
    const most = profile.functions.slice().sort((a, b) => b.seconds - a.seconds);
    plainTable(parent, `Other functions of MPI (${most.length})`, ["function", "calls of a rank", "bytes it sent or moved", "time"],
      () => most.map((f) => [f.name, Math.round(f.calls).toLocaleString("en"), Math.round(f.bytes).toLocaleString("en"), timeText(f.seconds)]));
  }

  // ---- guidelines, and how it was measured

  function guidelinesPart() {
    const section = part("guidelines", "Violated performance guidelines");
    section.append("p").text("The MPI library takes longer for these operations than for others of its own that do the same. The text may go into a report to its authors as it is.");
    for (const campaign of report.campaigns.filter((c) => c.guidelines.length)) {
      const text = `${campaign.mpi}, ${campaign.machine}:\n` + campaign.guidelines.map((g) =>
        `${g.operation} of ${sizeText(g.size)} on ${placeText(g)} takes ${timeText(g.native_s)}; ${g.plan} takes ${timeText(g.mended_s)} (${g.low.toFixed(2)} to ${g.high.toFixed(2)} of it, 95 %)`).join("\n") +
        "\n(Träff, Gropp, Thakur, Self-consistent MPI Performance Guidelines, 2010)";
      section.append("pre").text(text);
      section.append("button").attr("type", "button").text("Copy").on("click", () => navigator.clipboard && navigator.clipboard.writeText(text).then(() => say("copied")));
    }
  }

  function methodPart() {
    const section = part("method", "How it was measured");
    section.append("p").text(`Report of ${report.date}, Tutti ${report.version}. Times are those of the slowest rank, medians over repetitions with distribution-free 95 % intervals; ratios to native are taken in pairs within one round, plans and native in turn. ` +
      "The limit of the network is the least time in which any algorithm can do the operation where a rank sends one message at a time; several short ones at a time may beat it. Where groups of hosts are known, such as switches, it counts what has to enter and leave each. Each file is shown for itself; nothing is mixed.");
    for (const campaign of report.campaigns) {
      section.append("h3").text(fileOf(campaign));
      section.append("p").text(`${{ table: "A table", knowledge: "What programs have learnt", measurements: "Measurements" }[campaign.kind]}: ${campaign.mpi || "of what MPI, the file does not say"}${campaign.machine ? ` on ${campaign.machine}` : ""}.`);
      if (campaign.origin) {
        section.append("p").text(`Made on ${campaign.origin.date} in ${Math.round(campaign.origin.seconds)} s by Tutti ${campaign.origin.version}. To repeat it:`);
        section.append("pre").text(campaign.origin.command);
        if (campaign.origin.arrival) section.append("p").text(`Measured while ranks came to calls as ${campaign.origin.arrival} has it.`);
      }
    }
    section.append("p").attr("class", "faint").text("Drawn with D3 (d3js.org), © Mike Bostock, BSD 3-Clause licence.");
  }

  function problems() {
    for (const problem of report.problems) main.append("p").attr("class", "problem").attr("role", "alert").text(problem.message);
  }

  const total = report.campaigns.filter((c) => c.headline.points > 0);
  main.append("h1").text("What Tutti gains");
  nav.list = main.append("nav").attr("aria-label", "Parts of the report").append("ul");
  problems();
  if (report.comparison) comparisonPart();
  headlines();
  const groups = [...report.campaigns.map((c) => ({ title: nameOf(c), curves: c.curves })), ...report.prices.map((p) => ({ title: `${fileOf(p)}: prices`, curves: p.curves }))].filter((g) => g.curves.length);
  if (!groups.length && !report.networks.length && !report.profiles.length) main.append("p").text("Nothing was measured in these files.");
  if (groups.length) curvesPart(groups);
  if (total.length) mapsPart();
  if (report.campaigns.some((c) => c.decisions.length)) decisionsPart();
  if (report.profiles.length) profilePart();
  if (report.networks.length) networkPart();
  if (report.campaigns.some((c) => c.guidelines.length)) guidelinesPart();
  methodPart();
  document.documentElement.dataset.drawn = "yes";
})();
