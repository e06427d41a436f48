// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the report of a run from the JSON that the page carries. All texts of
// users reach the page as text, never as HTML.
'use strict';

(() => {
  const root = document.documentElement;
  const errors = [];
  const complain = (text) => {
    errors.push(text);
    root.dataset.errors = errors.join('\n');
  };
  window.addEventListener('error', (event) => complain(event.message));

  const report = JSON.parse(document.getElementById('data').textContent);

  // ---------------------------------------------------------------- the page

  const main = document.querySelector('main');

  /** An element with attributes and children; texts stay texts. */
  function element(tag, attributes, ...children) {
    const result = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
      result.setAttribute(name, value);
    result.append(...children.filter((child) => child !== null));
    return result;
  }

  const navigation = element('nav');

  function section(title, about) {
    const id = 'section-' + navigation.children.length;
    const result = element('section', {id}, element('h2', {}, title),
      about ? element('p', {class: 'about'}, about) : null);
    navigation.append(element('a', {href: '#' + id}, title));
    main.append(result);
    return result;
  }

  const grid = (parent, kind) => {
    const result = element('div', {class: 'charts ' + (kind || '')});
    parent.append(result);
    return result;
  };

  function chooser(parent, title, names, choose) {
    const select = element('select');
    names.forEach((name, i) => select.append(element('option', {value: i}, name)));
    select.addEventListener('change', () => choose(Number(select.value)));
    parent.append(element('label', {}, title + ' ', select));
  }

  /** A name that fits beside an axis. */
  const short = (name) => name.length > 40 ? name.slice(0, 38) + '…' : name;

  const plural = (n, noun) => n.toLocaleString('en-US') + ' ' + noun + (n === 1 ? '' : 's');

  function number(value, digits) {
    if (value === null || value === undefined || Number.isNaN(value))
      return '–';
    const wanted = digits || 4;
    if (Math.abs(value) >= 10 ** wanted && Math.abs(value) < 1e9)
      return Math.round(value).toLocaleString('en-US');
    const text = Number(value).toPrecision(wanted);
    return text.includes('e') ? text.replace(/\.?0+e/, 'e') :
      text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  }

  /** A number with as many digits as its standard deviation makes sense of. */
  function within(value, deviation) {
    const decimals = Math.ceil(1.5 - Math.log10(deviation));
    return value === null || value === undefined || !(deviation > 0) || !(decimals <= 12) ||
      decimals < 0 ? number(value) : value.toFixed(decimals);
  }

  // --------------------------------------------------------------- the colours

  // Okabe and Ito's, which the colour-blind tell apart.
  const qualitative = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9',
    '#333333', '#8c8c8c'];
  const chainColour = (i) => qualitative[i % qualitative.length];

  // From cold to hot; darkness alone tells them apart, too.
  const heat = [[13, 8, 135], [126, 3, 168], [204, 71, 120], [240, 132, 77], [249, 180, 40]];
  function rungColour(i, n) {
    const place = n > 1 ? i / (n - 1) * (heat.length - 1) : 0;
    const below = Math.min(Math.floor(place), heat.length - 2);
    const mix = heat[below].map((c, k) =>
      Math.round(c + (place - below) * (heat[below + 1][k] - c)));
    return '#' + mix.map((c) => c.toString(16).padStart(2, '0')).join('');
  }
  const faint = (colour, alpha) =>
    colour + Math.round(255 * alpha).toString(16).padStart(2, '0');
  const priorColour = '#6b7280';
  const truthColour = '#000000';

  // ---------------------------------------------------------------- the charts

  Object.assign(Chart.defaults, {
    animation: false, responsive: true, maintainAspectRatio: false, locale: 'en-US',
    color: '#1d2430', borderColor: '#e3e6ea'
  });
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Object.assign(Chart.defaults.plugins.legend, {position: 'bottom'});
  Object.assign(Chart.defaults.plugins.legend.labels,
    {usePointStyle: true, boxHeight: 7, padding: 10});
  Object.assign(Chart.defaults.elements.line, {borderWidth: 1.5, tension: 0});
  Chart.defaults.elements.point.radius = 0;
  Chart.defaults.elements.point.hitRadius = 4;

  /** Shaded ranges and straight lines: options.plugins.marks. */
  Chart.register({
    id: 'marks',
    beforeDatasetsDraw(chart, _, options) {
      const {ctx, chartArea: area, scales} = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      for (const band of options.bands || []) {
        const along = band.axis || 'x';
        const a = scales[along].getPixelForValue(band.from);
        const b = scales[along].getPixelForValue(band.to);
        ctx.fillStyle = band.colour || '#6b728026';
        if (along === 'x')
          ctx.fillRect(a, area.top, b - a, area.height);
        else
          ctx.fillRect(area.left, b, area.width, a - b);
        if (band.label && b - a > 12) {
          ctx.fillStyle = '#4b5563';
          ctx.font = '11px ' + Chart.defaults.font.family;
          ctx.textBaseline = 'top';
          ctx.fillText(band.label, a + 4, area.top + 4);
        }
      }
      ctx.restore();
    },
    // In front of the data: a thick trace would hide the truth.
    afterDatasetsDraw(chart, _, options) {
      const {ctx, chartArea: area, scales} = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      for (const line of options.lines || []) {
        ctx.strokeStyle = line.colour || truthColour;
        ctx.lineWidth = line.width || 1.5;
        ctx.setLineDash(line.dash || [5, 4]);
        ctx.beginPath();
        if ('x' in line) {
          const x = scales.x.getPixelForValue(line.x);
          ctx.moveTo(x, area.top);
          ctx.lineTo(x, area.bottom);
        } else {
          const y = scales.y.getPixelForValue(line.y);
          ctx.moveTo(area.left, y);
          ctx.lineTo(area.right, y);
        }
        ctx.stroke();
      }
      ctx.restore();
    }
  });

  /** Drag to zoom, double click to see all again. */
  function makeZoomable(chart, holder) {
    const canvas = chart.canvas;
    let begin = null, box = null;
    const place = (event) => {
      const rect = canvas.getBoundingClientRect(), area = chart.chartArea;
      return {x: Math.min(Math.max(event.clientX - rect.left, area.left), area.right),
        y: Math.min(Math.max(event.clientY - rect.top, area.top), area.bottom)};
    };
    const isLinear = (scale) => scale.type === 'linear' || scale.type === 'logarithmic';
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || event.pointerType === 'touch')
        return;
      const rect = canvas.getBoundingClientRect(), area = chart.chartArea;
      const y = event.clientY - rect.top;
      if (y < area.top || y > area.bottom)
        return; // the legend's
      begin = place(event);
      if (event.isTrusted)
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!begin)
        return;
      const end = place(event);
      if (!box) {
        box = element('div', {class: 'selection'});
        holder.append(box);
      }
      Object.assign(box.style, {
        left: Math.min(begin.x, end.x) + 'px', top: Math.min(begin.y, end.y) + 'px',
        width: Math.abs(begin.x - end.x) + 'px', height: Math.abs(begin.y - end.y) + 'px'
      });
    });
    canvas.addEventListener('pointerup', (event) => {
      if (!begin)
        return;
      const end = place(event), start = begin;
      begin = null;
      if (box)
        box.remove();
      box = null;
      const least = 8;
      for (const id of ['x', 'y']) {
        const scale = chart.scales[id];
        if (!scale || !isLinear(scale) || Math.abs(end[id] - start[id]) < least)
          continue;
        const range = [scale.getValueForPixel(start[id]), scale.getValueForPixel(end[id])];
        Object.assign(chart.options.scales[id],
          {min: Math.min(...range), max: Math.max(...range)});
      }
      chart.update('none');
    });
    canvas.addEventListener('pointercancel', () => {
      begin = null;
      if (box)
        box.remove();
      box = null;
    });
    canvas.addEventListener('dblclick', () => {
      for (const [id, limits] of Object.entries(chart.$limits))
        Object.assign(chart.options.scales[id], limits);
      chart.update('none');
    });
  }

  const planned = [];

  /**
   * A figure with a chart that is drawn later. Returns a function that draws it
   * again when what it shows has been changed.
   */
  function figure(parent, title, note, makeConfiguration, kind) {
    const canvas = element('canvas', {role: 'img', 'aria-label': title || note || ''});
    const holder = element('div', {class: 'canvas'}, canvas);
    const result = element('figure', {class: kind || ''},
      title ? element('figcaption', {}, title, note ? element('small', {}, note) : '') : null,
      holder);
    parent.append(result);
    let chart = null;
    const draw = () => {
      const configuration = makeConfiguration();
      if (chart)
        chart.destroy();
      chart = new Chart(canvas, configuration);
      chart.$limits = {};
      for (const id of Object.keys(chart.options.scales || {}))
        chart.$limits[id] = {min: configuration.options.scales[id]?.min,
          max: configuration.options.scales[id]?.max};
      return chart;
    };
    planned.push({title: title || note, draw, canvas, holder,
      zoom: () => makeZoomable({
        get canvas() { return canvas; },
        get chartArea() { return chart.chartArea; },
        get scales() { return chart.scales; },
        get options() { return chart.options; },
        get $limits() { return chart.$limits; },
        update: (mode) => chart.update(mode)
      }, holder)});
    return draw;
  }

  const points = (x, y) => x.map((value, i) => ({x: value, y: y[i] === null ? NaN : y[i]}));

  /** The outline of a histogram. */
  function outline(histogram) {
    const result = [];
    histogram.density.forEach((value, i) => {
      const left = histogram.low + i * histogram.width;
      if (i === 0)
        result.push({x: left, y: 0});
      result.push({x: left, y: value}, {x: left + histogram.width, y: value});
      if (i + 1 === histogram.density.length)
        result.push({x: left + histogram.width, y: 0});
    });
    return result;
  }
  const ends = (histogram) =>
    [histogram.low, histogram.low + histogram.width * histogram.density.length];

  function axis(title, more) {
    return Object.assign({type: 'linear',
      title: {display: Boolean(title), text: short(title || ''), padding: 2},
      ticks: {maxTicksLimit: 7, maxRotation: 0}, grid: {drawTicks: true}}, more || {});
  }

  /** What the mouse says at a point. */
  const sayPoint = (x, y) => ({
    mode: 'nearest', intersect: false, callbacks: {
      title: () => '',
      label: (item) => item.dataset.label + ': ' + (x ? x + ' ' : '') +
        number(item.parsed.x, 6) + ', ' + (y ? y + ' ' : '') + number(item.parsed.y, 5)
    }
  });

  /** Draws as dots: lines between them would hide that there are two answers. */
  const dots = (colour) => ({showLine: false, pointRadius: 1.3, pointStyle: 'circle',
    borderColor: colour, backgroundColor: colour, pointBorderWidth: 0});

  function lines(datasets, xTitle, yTitle, more) {
    const {marks, legend, scales, tooltip, ...rest} = more || {};
    for (const one of datasets)
      one.pointStyle = one.pointStyle || (one.showLine === false ? 'circle' : one.fill ? 'rect' : 'line');
    return {type: 'line', data: {datasets}, options: Object.assign({
      parsing: false,
      interaction: {mode: 'nearest', intersect: false},
      scales: {x: axis(xTitle, (scales || {}).x), y: axis(yTitle, (scales || {}).y)},
      plugins: {marks: marks || {}, legend: legend || {display: datasets.length > 1},
        tooltip: tooltip || sayPoint(xTitle, yTitle)}
    }, rest)};
  }

  // ---------------------------------------------------------------- the content

  const rungName = (rung) => 'rung ' + rung.number +
    (rung.temperature === null ? '' : ', temperature ' + number(rung.temperature, 3));
  const shortRung = (rung) => rung.temperature === null ? 'rung ' + rung.number :
    'T = ' + number(rung.temperature, 3);
  const nRungs = report.rungs.length;
  const colourOfRung = (i) => rungColour(report.rungs[i].number, report.allRungs);

  function header() {
    document.title = (report.title || 'Report') + ' | Tempera';
    main.append(element('h1', {}, report.title || 'A run'));
    const facts = element('div', {class: 'facts'});
    const fact = (name, value) =>
      facts.append(element('div', {}, element('span', {}, name), element('b', {}, value)));
    fact('kind', report.family);
    fact('version', report.version);
    fact('seed', report.seed);
    fact('state', report.state);
    fact('chains', String(report.chains));
    fact('rungs', String(report.allRungs));
    fact('rounds of a chain', report.lastRound < report.rounds ?
      report.lastRound.toLocaleString('en-US') + ' of ' + report.rounds.toLocaleString('en-US') :
      report.rounds.toLocaleString('en-US'));
    fact('of which burn-in', report.burnIn.toLocaleString('en-US'));
    fact('draws', report.draws.toLocaleString('en-US'));
    if (report.allRungs > 1)
      fact('round trips', report.roundTrips.toLocaleString('en-US'));
    if (report.times)
      fact('time', number(report.times.seconds.reduce((a, b) => a + b, 0), 3) + ' s');
    if (report.levels && report.levels.work > 0)
      fact('work, forward solves', Math.round(report.levels.work).toLocaleString('en-US'));
    main.append(facts);

    const box = (kind, title, texts) => main.append(element('div', {class: 'warnings ' + kind},
      element('b', {}, title),
      texts.length ? element('ul', {}, ...texts.map((text) => element('li', {}, text))) : null));
    const texts = (...severities) => report.warnings
      .filter((one) => severities.includes(one.severity))
      .map((one) => one.what + (one.remedy ? ' ' + one.remedy : ''));
    const bad = texts('wrong', 'doubtful'), notes = texts('note');
    if (bad.length)
      box('', plural(bad.length, 'warning'), bad);
    else
      box('none', 'No warnings', []);
    if (notes.length)
      box('doubt', plural(notes.length, 'note'), notes);
    main.append(navigation);
  }

  function table() {
    if (!report.unknowns.length)
      return;
    const part = section('Unknowns', report.hasDraws ?
      'Of the coldest rung after burn-in, all chains together. R̂ should be below 1.01 and ' +
      'the effective sizes at least 400; MCSE is the standard error of the mean.' :
      'There are no draws after burn-in yet.');
    const has = (name) => report.unknowns.some((one) => one[name] !== undefined &&
      one[name] !== null && one[name] !== '' && String(one[name]).length > 0);
    const columns = [['mean', 'mean'], ['sd', 'sd'], ['low', '5 %'], ['median', '50 %'],
      ['high', '95 %'], ['rHat', 'R̂'], ['bulk', 'bulk ESS'], ['tail', 'tail ESS'],
      ['perSecond', 'ESS/s'], ['perWork', 'ESS/solve'], ['mcse', 'MCSE']].filter(([key]) => has(key));
    // What narrow windows do without.
    const isExtra = (key) => key.startsWith('per') || key === 'median' || key === 'tail';
    const hasTruth = report.unknowns.some((one) => one.truth.length);
    const head = element('tr', {}, element('th', {}, 'unknown'),
      ...columns.map(([key, title]) => element('th', {class: isExtra(key) ? 'extra' : ''}, title)));
    if (hasTruth)
      head.children[0].after(element('th', {}, 'truth'));
    if (has('prior'))
      head.append(element('th', {class: 'extra'}, 'prior'));
    const body = element('tbody');
    for (const one of report.unknowns) {
      const line = element('tr', {}, element('td', {class: 'text', title: one.name}, one.name));
      for (const [key] of columns) {
        const value = one[key];
        const isBad = (key === 'rHat' && !(value < 1.01)) ||
          ((key === 'bulk' || key === 'tail') && !(value >= 400));
        const digits = key === 'mcse' ? 2 : key === 'sd' || key.startsWith('per') ? 3 : 4;
        line.append(element('td', {class: (isBad ? 'bad ' : '') + (isExtra(key) ? 'extra' : '')},
          key === 'bulk' || key === 'tail' ?
            (value === null ? '–' : Math.round(value).toLocaleString('en-US')) :
            key === 'rHat' && value !== null ? value.toFixed(3) :
              ['mean', 'low', 'median', 'high'].includes(key) ? within(value, one.sd) :
                number(value, digits)));
      }
      if (hasTruth)
        line.children[0].after(element('td', {},
          [...new Set(one.truth.map((value) => within(value, one.sd)))].join(' or ')));
      if (has('prior'))
        line.append(element('td', {class: 'text extra', title: one.prior}, one.prior));
      body.append(line);
    }
    part.append(element('div', {class: 'wide'}, element('table', {}, element('thead', {}, head), body)));
    if (report.modes) {
      const {names, modes} = report.modes;
      part.append(element('p', {class: 'about', style: 'margin-top: 12px'},
        plural(modes.length, 'separate answer') + ' with their shares. Chains that never change ' +
        'answers cannot tell a share.'));
      const cells = (tag, texts) => element('tr', {}, ...texts.map((text) => element(tag, {}, text)));
      part.append(element('div', {class: 'wide'}, element('table', {},
        element('thead', {}, cells('th', ['answer', 'share', 'MCSE', 'R̂', 'ESS', ...names])),
        element('tbody', {}, ...modes.map((mode, i) => cells('td', [String(i + 1), number(mode.share, 3),
          number(mode.error, 2), mode.rHat === null ? '–' : mode.rHat.toFixed(3), number(mode.size, 4),
          ...mode.centre.map((value) => number(value))]))))));
    }
  }

  /** The rung that the pairs show. */
  let pairRung = 0;

  /** The draws of some columns: clouds by rung or by chain. */
  function clouds() {
    const data = report.scatter;
    if (!data || data.columns === 0)
      return;
    const part = section('Draws', 'Up to ' +
      data.rungs[0][0].length.toLocaleString('en-US') + ' draws of each rung after burn-in. ' +
      'A click in the legend switches a cloud on or off; drag to zoom, double-click to see all.');
    const redraws = [];
    let byChain = false;
    const controls = element('div', {class: 'controls'});
    if (report.chains > 1) {
      part.append(controls);
      chooser(controls, 'Show', ['rungs', 'chains of the coldest rung'], (choice) => {
        byChain = choice === 1;
        redraws.forEach((redraw) => redraw());
      });
    }
    const shownChains = report.chains;
    const cloud = (a, b, radius) => {
      const result = [];
      if (byChain)
        for (let chain = 0; chain < shownChains; ++chain) {
          const from = chain * data.pointsOfChain, to = from + data.pointsOfChain;
          result.push({label: 'chain ' + chain, pointRadius: radius,
            data: points(data.rungs[0][a].slice(from, to), data.rungs[0][b].slice(from, to)),
            backgroundColor: faint(chainColour(chain), .45), borderWidth: 0, pointBorderWidth: 0});
        }
      else
        data.rungs.forEach((values, i) => result.push({label: shortRung(report.rungs[i]),
          pointRadius: radius, data: points(values[a], values[b]), hidden: i !== pairRung, order: i,
          backgroundColor: faint(colourOfRung(i), .4), borderWidth: 0, pointBorderWidth: 0}));
      const truth = data.truth.filter((state) => state.length > Math.max(a, b));
      if (truth.length)
        result.push({label: 'truth', data: truth.map((state) => ({x: state[a], y: state[b]})),
          pointStyle: 'crossRot', pointRadius: radius + 6, pointBorderWidth: 2.5, order: -2,
          borderColor: truthColour, pointBorderColor: truthColour});
      return result;
    };
    const say = (x, y) => ({mode: 'nearest', intersect: true, callbacks: {
      label: (item) => item.dataset.label + ': ' + x + ' = ' + number(item.parsed.x, 5) +
        ', ' + y + ' = ' + number(item.parsed.y, 5)}});
    const names = report.columns;

    if (data.columns === 1)
      return void part.append(element('p', {class: 'about'},
        'There is one unknown: its marginal and its trace below show all.'));

    if (data.columns === 2) {
      redraws.push(figure(part, names[0] + ' and ' + names[1], '', () => {
        const datasets = cloud(0, 1, 2);
        const isPlace = data.sensors.length > 0 || data.circle.length > 0;
        if (data.circle.length >= 3) {
          const [x, y, radius] = data.circle;
          datasets.push({label: 'true circle', type: 'line', borderColor: truthColour,
            borderDash: [5, 4], borderWidth: 1.5, pointRadius: 0, order: -1,
            data: Array.from({length: 181}, (_, i) => ({
              x: x + radius * Math.cos(i * Math.PI / 90),
              y: y + radius * Math.sin(i * Math.PI / 90)}))});
        }
        if (data.sensors.length)
          datasets.push({label: 'sensor', pointStyle: 'triangle', pointRadius: 7,
            data: data.sensors.filter((place) => place.length > 1)
              .map((place) => ({x: place[0], y: place[1]})), order: -3,
            backgroundColor: '#e69f00', borderColor: '#000000', pointBorderWidth: 1});
        // A place has one scale: the same span in both directions.
        const limits = {x: {}, y: {}};
        if (isPlace) {
          const range = {x: [Infinity, -Infinity], y: [Infinity, -Infinity]};
          datasets.filter((one) => !one.hidden).forEach((one) => one.data.forEach((point) => {
            for (const id of ['x', 'y'])
              range[id] = [Math.min(range[id][0], point[id]), Math.max(range[id][1], point[id])];
          }));
          const span = 1.12 * Math.max(...['x', 'y'].map((id) => range[id][1] - range[id][0]));
          for (const id of ['x', 'y']) {
            const middle = (range[id][0] + range[id][1]) / 2;
            limits[id] = {min: middle - span / 2, max: middle + span / 2,
              ticks: {includeBounds: false, maxTicksLimit: 9, maxRotation: 0}};
          }
        }
        return {type: 'scatter', data: {datasets}, options: {parsing: false,
          scales: {x: axis(names[0], limits.x), y: axis(names[1], limits.y)},
          plugins: {tooltip: say(names[0], names[1]), legend: {labels: {boxHeight: 8}}}}};
      }, 'square'));
      return;
    }

    // Pairs below the diagonal, marginals on it. A column has one range.
    const n = data.columns;
    const place = grid(part, 'pairs');
    place.style.gridTemplateColumns = 'repeat(' + n + ', minmax(0, 1fr))';
    const rangeOf = (column) => {
      const values = data.rungs[byChain ? 0 : pairRung][column].concat(
        data.truth.filter((state) => state.length > column).map((state) => state[column]));
      const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
      const margin = .06 * (high - low) || 1e-3 * Math.abs(high) || 1;
      return {min: low - margin, max: high + margin};
    };
    // Numbers on the left and at the bottom only, with room for them everywhere there.
    const isNarrow = () => place.clientWidth < 800;
    const side = (name, isShown, id, more) => Object.assign(axis('', {
      ticks: {display: isShown && !isNarrow(), maxTicksLimit: 6, maxRotation: 0, includeBounds: false,
        font: {size: 10}},
      title: {display: isShown, text: short(name), padding: 0, font: {size: isNarrow() ? 10 : 11}},
      grid: {drawTicks: false},
      afterFit: (scale) => {
        const room = isNarrow() ? 18 : 66;
        if (id === 'y')
          scale.width = isShown ? room : 4;
        else
          scale.height = isShown ? (isNarrow() ? 18 : 32) : 4;
      }}), more);
    for (let row = 0; row < n; ++row)
      for (let column = 0; column < n; ++column) {
        if (column > row) {
          place.append(element('div'));
          continue;
        }
        redraws.push(figure(place, '', names[column] + (row === column ? '' : ' and ' + names[row]), () => {
          const x = side(names[column], row === n - 1, 'x', rangeOf(column));
          if (row === column) {
            const config = marginal(row, true);
            const y = side(names[row], column === 0, 'y', {beginAtZero: true});
            y.ticks.display = y.grid.display = false;
            config.options.scales = {x, y};
            return config;
          }
          return {type: 'scatter', data: {datasets: cloud(column, row, 1.2)}, options: {
            parsing: false, scales: {x, y: side(names[row], column === 0, 'y', rangeOf(row))},
            plugins: {legend: {display: false}, tooltip: say(names[column], names[row])}}};
        }));
      }
    if (nRungs > 1) {
      part.insertBefore(controls, place);
      chooser(controls, 'Rung', report.rungs.map(shortRung), (choice) => {
        pairRung = choice;
        redraws.forEach((redraw) => redraw());
      });
    }
  }

  /** The chart of one marginal, by rung, with prior and truth. */
  function marginal(column, isPlain) {
    const data = report.marginals[column];
    const datasets = data.rungs.map((histogram, i) => ({label: shortRung(report.rungs[i]),
      data: outline(histogram), hidden: i !== (isPlain ? pairRung : 0), borderColor: colourOfRung(i), order: i,
      backgroundColor: faint(colourOfRung(i), i === 0 ? .3 : .1), fill: 'origin'}));
    const range = ends(data.rungs[0]);
    const truth = report.unknowns[column].truth;
    const spread = range[1] - range[0];
    for (const value of truth)
      if (value > range[0] - spread && value < range[1] + spread) {
        range[0] = Math.min(range[0], value - .05 * spread);
        range[1] = Math.max(range[1], value + .05 * spread);
      }
    if (data.prior && !isPlain)
      datasets.push({label: 'prior', data: outline(data.prior), borderColor: priorColour,
        borderDash: [2, 2], backgroundColor: faint(priorColour, .08), fill: 'origin', order: 50});
    return lines(datasets, isPlain ? '' : report.columns[column], isPlain ? '' : 'density', {
      scales: {x: {min: range[0] - .06 * spread, max: range[1] + .06 * spread,
        ticks: {includeBounds: false, maxTicksLimit: 8, maxRotation: 0}}, y: {beginAtZero: true}},
      legend: {display: !isPlain && datasets.length > 1},
      marks: {lines: truth.map((value) => ({x: value}))}});
  }

  function marginals() {
    if (!report.marginals || !report.marginals.length)
      return;
    const hasPrior = report.marginals.some((one) => one.prior);
    const hasTruth = report.unknowns.some((one) => one.truth.length);
    const part = section('Marginals', 'Densities of the coldest rung; hotter rungs by a click in the ' +
      'legend' + (hasPrior ? '; the prior is dotted' : '') +
      (hasTruth ? '; truth: broken line' : '') +
      '. The range is that of the draws: a prior that is wider leaves it.');
    const place = grid(part, report.columns.length > 3 ? 'small' : '');
    report.columns.forEach((name, column) => {
      const one = report.unknowns[column];
      figure(place, name, 'mean ' + within(one.mean, one.sd) + ', sd ' + number(one.sd, 3) +
        (one.prior ? ', prior ' + one.prior : ''), () => marginal(column, false));
    });
  }

  const burnIn = () => report.burnIn > 0 ?
    {bands: [{from: 0, to: Math.min(report.burnIn, report.lastRound), label: 'burn-in'}]} : {};
  const roundAxis = () => ({min: 0, max: Math.max(1, report.lastRound)});

  function traces() {
    const data = report.traces;
    if (!data || !data.rounds.some((rounds) => rounds.length))
      return;
    const part = section('Traces', 'Some of the draws, evenly spaced; burn-in is shaded. Chains should ' +
      'look alike, and so should all parts of one after burn-in.');
    const names = ['energy', ...report.columns];
    let chosen = Math.min(1, report.columns.length);
    const redraws = [];
    if (names.length > 1) {
      const controls = element('div', {class: 'controls'});
      part.append(controls);
      const order = [...report.columns, 'energy'];
      chooser(controls, 'Show', order, (choice) => {
        chosen = choice === report.columns.length ? 0 : choice + 1;
        redraws.forEach((redraw) => redraw());
      });
    }
    const truthLines = () => chosen === 0 ? [] :
      report.unknowns[chosen - 1].truth.map((value) => ({y: value}));
    const place = grid(part);
    redraws.push(figure(place, report.chains > 1 ? 'The coldest rung, by chain' : 'The coldest rung', '',
      () => lines(data.rounds.map((rounds, chain) => ({label: 'chain ' + chain,
        data: points(rounds, chosen === 0 ? data.chainEnergies[chain] :
          data.chains[chain][chosen - 1]), ...dots(faint(chainColour(chain), .7))})), 'round', names[chosen],
      {marks: Object.assign(burnIn(), {lines: truthLines()}), scales: {x: roundAxis()}})));
    if (nRungs > 1)
      redraws.push(figure(place, 'All rungs' + (report.chains > 1 ? ' of chain 0' : ''), '',
        () => lines(report.rungs.map((rung, i) => ({label: shortRung(rung), order: i,
          data: points(data.rounds[0], chosen === 0 ? data.rungEnergies[i] :
            i === 0 ? data.chains[0][chosen - 1] : data.rungs[i][chosen - 1]),
          ...dots(faint(colourOfRung(i), .7))})), 'round', names[chosen],
        {marks: Object.assign(burnIn(), {lines: truthLines()}), scales: {x: roundAxis()}})));
  }

  function energies() {
    if (!report.energies)
      return;
    const part = section('Energies', 'Minus the logarithm of the posterior.' + (nRungs > 1 ?
      ' Neighbouring rungs can swap only where their histograms overlap.' : ''));
    const place = grid(part);
    figure(place, nRungs > 1 ? 'Histograms by rung' : 'Histogram', '', () => {
      const {logarithmic, rungs: all} = report.energies;
      // Laws that are as different as that have different heights, too.
      const peak = (histogram) => histogram.density.reduce((a, b) => Math.max(a, b));
      const rungs = !logarithmic ? all : all.map((histogram) => ({...histogram,
        density: histogram.density.map((one) => one / peak(histogram))}));
      const first = rungs[0].density.findIndex((one) => one > .05);
      const range = logarithmic ? {min: rungs[0].low + (first - 1) * rungs[0].width,
        max: .1 + Math.max(...rungs.map((histogram) => ends(histogram)[1]))} : {};
      const value = (x) => logarithmic ? 10 ** x : x;
      return lines(rungs.map((histogram, i) => ({
        label: shortRung(report.rungs[i]), data: outline(histogram), borderColor: colourOfRung(i),
        backgroundColor: faint(colourOfRung(i), .18), fill: 'origin'})),
      logarithmic ? 'energy above the least' : 'energy',
      logarithmic ? 'density, scaled to 1' : 'density',
      {scales: {y: {beginAtZero: true}, x: logarithmic ? {...range, ticks: {maxRotation: 0, includeBounds: false, maxTicksLimit: 8,
        callback: (x) => number(value(x), 2)}} : {}},
      tooltip: {callbacks: {title: () => '', label: (item) => item.dataset.label + ': energy ' +
        number(value(item.parsed.x), 4) + ', density ' + number(item.parsed.y, 3)}}});
    });
    const data = report.traces;
    figure(place, 'As the run went on' + (report.chains > 1 ? ', chain 0' : ''), '',
      () => lines(report.rungs.map((rung, i) => ({label: shortRung(rung), order: i,
        data: points(data.rounds[0], data.rungEnergies[i]), ...dots(faint(colourOfRung(i), .7))})), 'round', 'energy',
      {marks: burnIn(), scales: {x: roundAxis(), y: energyRange()}}));
  }

  /** Without the first steps, which may come from far away. */
  function energyRange() {
    const late = [];
    report.traces.rungEnergies.forEach((values) => values.forEach((value, k) => {
      if (value !== null && report.traces.rounds[0][k] > Math.min(report.burnIn, report.lastRound / 2))
        late.push(value);
    }));
    if (!late.length)
      return {};
    const low = late.reduce((a, b) => Math.min(a, b)), high = late.reduce((a, b) => Math.max(a, b));
    const spread = high - low || 1;
    return {min: low - .05 * spread, max: high + .1 * spread,
      ticks: {includeBounds: false, maxTicksLimit: 7}};
  }

  function swaps() {
    const data = report.swaps;
    if (!data)
      return;
    const part = section('Swaps', 'States travel along the ladder by swaps: a hot rung finds ' +
      'another answer, and the state comes down to the coldest. ' +
      plural(report.roundTrips, 'round trip') + ' cold, hot, cold after burn-in' +
      (report.tripRate === null || report.bestTripRate === null ? '.' : ', ' +
        number(report.tripRate, 2) + ' per swap time; the acceptances allow ' +
        number(report.bestTripRate, 2) + '.') +
      (report.barrier === null ? '' : ' Communication barrier Λ = ' + number(report.barrier, 3) + '.'));
    const nPairs = Math.max(0, ...data.acceptances.map((one) => one.length));
    if (nPairs === 0)
      part.append(element('p', {class: 'about'}, 'No swap has been tested after burn-in.'));
    const place = grid(part);
    if (nPairs > 0)
      figure(place, 'Accepted swaps of each pair', 'after burn-in; 0.2 and more is well', () => ({
        type: 'bar', data: {
          labels: Array.from({length: nPairs}, (_, i) => i + '–' + (i + 1)),
          datasets: data.acceptances.map((values, chain) => ({label: 'chain ' + chain,
            data: values, backgroundColor: chainColour(chain), minBarLength: 2}))},
        options: {scales: {x: {title: {display: true, text: 'pair of rungs'}, grid: {display: false}},
          y: {min: 0, max: 1, title: {display: true, text: 'share accepted'}}},
        plugins: {legend: {display: data.acceptances.length > 1},
          tooltip: {mode: 'index', intersect: false}}}}));
    if (data.flow)
      figure(place, 'Flow', 'share of visits by replicas that come from the cold end; ' +
        'a straight line is best', () => lines([
        {label: 'this run', data: data.flow.map((y, x) => ({x, y: y === null ? NaN : y})),
          borderColor: '#0072b2', borderWidth: 2, pointRadius: 4, pointStyle: 'circle',
          pointBackgroundColor: '#0072b2'},
        {label: 'best', data: [{x: 0, y: 1}, {x: report.allRungs - 1, y: 0}],
          borderColor: priorColour, borderDash: [5, 4]}], 'rung', 'from the cold end',
      {scales: {x: {ticks: {stepSize: 1, precision: 0}}, y: {min: 0, max: 1.02,
        ticks: {includeBounds: false}}}}));
    if (!data.paths)
      return;
    let chain = 0;
    const replicaColour = (replica) => report.allRungs <= qualitative.length ?
      qualitative[replica] : rungColour(replica, report.allRungs);
    const isWhole = data.visits.length === report.allRungs;
    const redraw = figure(place, isWhole ? 'Ways of the replicas' : 'Replica at the coldest rung',
      plural(data.paths[0].rounds.length, 'draw') + ' in a row from the middle of the run' +
      (report.chains > 1 ? ', chain 0' : ''), () => {
        const path = data.paths[chain];
        const datasets = [];
        if (isWhole)
          for (let replica = 0; replica < report.allRungs; ++replica)
            datasets.push({label: 'replica ' + replica, stepped: 'middle', borderWidth: 2,
              borderColor: replicaColour(replica), hidden: report.allRungs > 8 && replica > 2,
              data: path.rounds.map((x, k) => ({x,
                y: path.replicas.findIndex((rung) => rung[k] === replica)}))
                .filter((point) => point.y >= 0)
                // Side by side, where they would cover one another.
                .map(({x, y}) => ({x, y: y + .5 * (replica / (report.allRungs - 1) - .5)}))});
        else
          datasets.push({label: 'coldest rung', stepped: 'middle', borderColor: '#0072b2',
            data: points(path.rounds, path.replicas[0])});
        return lines(datasets, 'round', isWhole ? 'rung' : 'replica', {
          tooltip: {callbacks: {title: () => '', label: (item) => item.dataset.label + ': round ' +
            number(item.parsed.x, 8) + ', ' + (isWhole ? 'rung ' : 'replica ') + Math.round(item.parsed.y)}},
          scales: {x: {min: path.rounds[0], max: path.rounds[path.rounds.length - 1]}, y: {min: -.4, max: report.allRungs - .6, afterBuildTicks: (scale) => {
            const step = Math.ceil(report.allRungs / 8);
            scale.ticks = [];
            for (let i = 0; i < report.allRungs; i += step)
              scale.ticks.push({value: i});
          }}}});
      });
    void redraw;
    figure(place, 'Who was where', 'share of time of each replica at a rung; all the same is best', () => ({
      type: 'bar', data: {labels: data.visits.map((_, rung) => 'rung ' + rung),
        datasets: Array.from({length: report.allRungs}, (_, replica) => ({
          label: 'replica ' + replica, data: data.visits.map((shares) => shares[replica]),
          backgroundColor: replicaColour(replica), borderColor: '#ffffff', borderWidth: 1}))},
      options: {indexAxis: 'y', scales: {x: {stacked: true, min: 0, max: 1,
        title: {display: true, text: 'share of draws'}},
      y: {stacked: true, grid: {display: false}}},
      plugins: {legend: {display: report.allRungs <= 8},
        tooltip: {callbacks: {label: (item) =>
          item.dataset.label + ': ' + number(item.parsed.x, 3)}}}}}));
  }

  function mixing() {
    const data = report.autocorrelation;
    if (!data)
      return;
    const part = section('Mixing', 'How fast the coldest rung forgets where it was, and whether ' +
      'chains agree.');
    const place = grid(part);
    if (data.lags.length)
      figure(place, 'Autocorrelation', 'coldest rung, mean of the chains about their common mean',
        () => lines(data.names.map((name, i) => ({label: short(name), data: points(data.lags, data.values[i]),
          borderColor: i === 0 ? '#8c8c8c' : chainColour(i - 1), hidden: i > 6,
          borderDash: i === 0 ? [5, 4] : i > 6 ? [2, 2] : [],
          borderWidth: 1.8})).sort((a, b) => (a.label === 'energy') - (b.label === 'energy')),
        'lag in draws', 'correlation', {scales: {y: {suggestedMin: -.1, max: 1,
          ticks: {includeBounds: false}}, x: {min: 0, max: data.lags[data.lags.length - 1]}},
        marks: {lines: [{y: 0, colour: '#6b7280', width: 1, dash: []}]}}));

    const ranks = report.ranks;
    if (!ranks || !ranks.columns.length)
      return;
    part.append(element('p', {class: 'about', style: 'margin-top: 14px'},
      'Ranks: shares of each ' + (report.chains > 1 ? 'chain' : 'half of the chain') +
      ' by rank among all draws. All lines within the band: they agree. The band is what as many ' +
      'independent draws as the effective size would do, two standard deviations.'));
    const small = grid(part, report.columns.length > 3 ? 'small' : '');
    ranks.columns.forEach((column, i) => {
      const n = column.shares[0].length, share = 1 / n;
      const band = column.deviation === null ? [] :
        [{axis: 'y', from: Math.max(0, share - 2 * column.deviation),
          to: share + 2 * column.deviation}];
      figure(small, 'Ranks of ' + report.columns[i], '', () => lines(column.shares.map((shares, k) => {
        const outlinePoints = outline({low: 0, width: 1 / n, density: shares});
        return {label: ranks.labels[k], data: outlinePoints.slice(1, -1),
          borderColor: chainColour(k), borderWidth: 1.5};
      }), 'rank, scaled', 'share', {scales: {x: {min: 0, max: 1}, y: {min: 0, suggestedMax: 2 * share}},
        marks: {bands: band, lines: [{y: share, colour: '#6b7280', width: 1}]}}));
    });
  }

  /** Upright bars: low to high at each x, as one dataset with gaps. */
  const bars = (x, low, high) => x.flatMap((value, i) => low[i] === null || high[i] === null ? [] :
    [{x: value, y: low[i]}, {x: value, y: high[i]}, {x: value, y: NaN}]);

  function fit() {
    const data = report.fit, curve = report.curve;
    if (!data && !curve)
      return;
    const part = section('Data and predictions',
      'What the draws of the coldest rung predict, without the errors of measurements: ' +
      '5 %, 50 % and 95 %' + (data && data.states ? ', ' + plural(data.states, 'state') : '') + '.');
    const place = grid(part);
    const hasStates = data && data.states > 0;

    if (curve && curve.names.includes('mean'))
      figure(place, 'Predicted curve', 'mean and 90 % band' +
        (curve.names.includes('exact') ? ', with the exact curve' : ''), () => {
        const get = (name) => curve.columns[curve.names.indexOf(name)];
        const x = curve.columns[0];
        const datasets = [
          {label: '5 %', data: points(x, get('5 %')), borderColor: faint('#0072b2', .5), borderWidth: .8},
          {label: '95 %', data: points(x, get('95 %')), borderColor: faint('#0072b2', .5), borderWidth: .8,
            fill: '-1', backgroundColor: faint('#0072b2', .22)},
          {label: 'mean', data: points(x, get('mean')), borderColor: '#0072b2', borderWidth: 2}];
        if (get('exact'))
          datasets.push({label: 'exact', data: points(x, get('exact')), borderColor: '#000000',
            borderDash: [5, 4], order: -1});
        return lines(datasets, curve.names[0], 'prediction');
      });
    // A narrow band is seen beside the exact curve only.
    if (curve && ['exact', 'mean', '5 %', '95 %'].every((name) => curve.names.includes(name)))
      figure(place, 'Predicted less exact curve', 'mean and 90 % band', () => {
        const get = (name) => curve.columns[curve.names.indexOf(name)];
        const x = curve.columns[0], exact = get('exact');
        const difference = (name) => points(x, get(name).map((value, i) => value - exact[i]));
        return lines([
          {label: '5 %', data: difference('5 %'), borderColor: faint('#0072b2', .5), borderWidth: .8},
          {label: '95 %', data: difference('95 %'), borderColor: faint('#0072b2', .5), borderWidth: .8,
            fill: '-1', backgroundColor: faint('#0072b2', .22)},
          {label: 'mean', data: difference('mean'), borderColor: '#0072b2', borderWidth: 2}],
        curve.names[0], 'difference', {marks: {lines: [{y: 0, width: 1}]}});
      });

    if (data) {
      const x = data.numbers;
      const isFew = x.length <= 40;
      const title = (items) => items.length && data.names.length ?
        data.names[Math.round(items[0].parsed.x) - 1] !== undefined && data.all === x.length ?
          data.names[Math.round(items[0].parsed.x) - 1] :
          'number ' + Math.round(items[0].parsed.x) : '';
      const tooltip = {mode: 'nearest', intersect: false, callbacks: {title,
        label: (item) => item.dataset.label + ': ' + number(item.parsed.y, 5)}};
      const datasets = [];
      if (hasStates && isFew && data.compared) {
        datasets.push({label: 'predicted, 5 % to 95 %', data: bars(x.map((v) => v + .12), data.low, data.high),
          borderColor: faint('#0072b2', .45), borderWidth: 9});
        datasets.push({label: 'predicted, 50 %', data: points(x.map((v) => v + .12), data.median),
          showLine: false, pointRadius: 5, pointStyle: 'rectRot', backgroundColor: '#0072b2',
          borderColor: '#0072b2'});
      } else if (hasStates) {
        datasets.push({label: '5 %', data: points(x, data.low), borderColor: faint('#0072b2', .5), borderWidth: .8});
        datasets.push({label: '95 %', data: points(x, data.high), borderColor: faint('#0072b2', .5),
          borderWidth: .8, fill: '-1', backgroundColor: faint('#0072b2', .25)});
        datasets.push({label: '50 %', data: points(x, data.median), borderColor: '#0072b2'});
      }
      if (data.compared) {
        const shift = isFew && hasStates ? -.12 : 0;
        const at = x.map((v) => v + shift);
        if (isFew)
          datasets.push({label: 'measured ± deviation', order: -1,
          data: bars(at, data.values.map((v, i) => data.deviations[i] === null ? null : v - data.deviations[i]),
            data.values.map((v, i) => data.deviations[i] === null ? null : v + data.deviations[i])),
          borderColor: '#d55e00', borderWidth: 2});
        datasets.push({label: 'measured', data: points(at, data.values), showLine: false, order: isFew ? -2 : 9,
          pointRadius: isFew ? 4 : 1.8, backgroundColor: '#d55e00', borderColor: '#d55e00'});
      }
      const xScale = {min: isFew ? .5 : x[0], max: isFew ? x[x.length - 1] + .5 : x[x.length - 1],
        ticks: {includeBounds: !isFew, precision: 0, maxTicksLimit: 12}};
      const hasCurve = curve && curve.names.includes('mean') && !data.compared;
      if (datasets.length && !hasCurve)
        figure(place, data.compared ? 'Measurements and what is predicted' : 'Predictions', '',
          () => lines(datasets, data.compared ? 'measurement' : 'number', 'value',
            {scales: {x: xScale}, tooltip}));
      if (hasStates && data.compared && data.deviations.some((one) => one > 0))
        figure(place, 'Residuals', '(measured − predicted median) / deviation; two in three are expected ' +
          'within ±1', () => lines([{label: 'residual', showLine: false,
          data: points(x, data.values.map((v, i) => (v - data.median[i]) / data.deviations[i])),
          pointRadius: isFew ? 5 : 2, backgroundColor: '#0072b2', borderColor: '#0072b2'}],
        data.compared ? 'measurement' : 'number', 'residual', {scales: {x: xScale,
          y: {suggestedMin: -3, suggestedMax: 3}}, tooltip, legend: {display: false},
          marks: {bands: [{axis: 'y', from: -2, to: 2, colour: '#6b728018'},
            {axis: 'y', from: -1, to: 1, colour: '#6b728022'}],
          lines: [{y: 0, colour: '#6b7280', width: 1, dash: []}]}}));
    }
  }

  function networkErrors() {
    const data = report.errors;
    if (!data || data.columns.length < 2 || !data.columns[0].length)
      return;
    const part = section('Errors of the network', 'Relative error of each rung\'s curve as the run ' +
      'went on.');
    const all = data.columns.slice(1).flat().filter((value) => value > 0);
    const limits = all.length ? {min: all.reduce((a, b) => Math.min(a, b)) / 1.5,
      max: all.reduce((a, b) => Math.max(a, b)) * 1.5} : {};
    figure(grid(part), 'Relative error', '', () => lines(data.names.slice(1).map((name, i) => ({
      label: name, data: points(data.columns[0], data.columns[i + 1]), order: i,
      borderColor: rungColour(i, Math.max(report.allRungs, data.names.length - 1))})), 'round',
    'relative error', {marks: burnIn(), scales: {x: roundAxis(), y: {type: 'logarithmic', ...limits,
      ticks: {includeBounds: false, callback: (value) => {
        const first = Number(value.toExponential()[0]);
        return [1, 2, 5].includes(first) ? number(value, 2) : '';
      }}}}}));
  }

  function time() {
    const {times, levels} = report;
    const hasLevels = levels && levels.evaluations.some((one) => one > 0);
    if (!times && !hasLevels)
      return;
    const part = section('Where the time went', levels && levels.work > 0 ?
      'Work: ' + number(levels.work, 6) + ' forward solves of level \'' +
      (levels.names[levels.coldest] ?? '') + '\', of which set-up ' + number(levels.setUpWork, 3) + '.' : '');
    const place = grid(part);
    const horizontal = (labels, values, xTitle, colours, type) => ({
      type: 'bar', data: {labels, datasets: [{label: xTitle, data: values, backgroundColor: colours,
        minBarLength: 2}]},
      options: {indexAxis: 'y', scales: {x: {type: type || 'linear', title: {display: true, text: xTitle},
        ticks: {maxRotation: 0, maxTicksLimit: 7}}, y: {grid: {display: false}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {
        label: (item) => number(item.parsed.x, 7) + ' ' + xTitle}}}}});
    if (times)
      figure(place, 'Seconds by phase', '', () => horizontal(times.phases, times.seconds, 'seconds', '#0072b2'));
    if (hasLevels)
      figure(place, 'Evaluations by level', 'all chains, burn-in included', () =>
        horizontal(levels.names, levels.evaluations, 'evaluations', '#009e73'));
  }

  function parameters() {
    const part = section('Parameters', '');
    if (report.rungs.length) {
      const body = report.rungs.map((rung) => element('tr', {}, element('td', {}, String(rung.number)),
        element('td', {}, number(rung.temperature)), element('td', {class: 'text'}, rung.level),
        element('td', {class: 'text'}, rung.kernel)));
      part.append(element('div', {class: 'wide'}, element('table', {}, element('thead', {}, element('tr', {},
        ...['rung', 'temperature', 'level', 'kernel'].map((name) => element('th', {}, name)))),
      element('tbody', {}, ...body))));
    }
    part.append(element('details', {}, element('summary', {}, 'All parameters of the run'),
      element('pre', {}, report.parameters)));
    if (report.notes.length)
      part.append(element('footer', {}, ...report.notes.map((note) => element('div', {}, note))));
  }

  // ---------------------------------------------------------------------- go

  try {
    header();
    for (const make of [table, clouds, marginals, traces, energies, swaps, mixing, fit,
      networkErrors, time, parameters])
      make();
  } catch (error) {
    complain(String(error.stack || error));
  }
  let drawn = 0;
  for (const one of planned)
    try {
      one.draw();
      one.zoom();
      ++drawn;
    } catch (error) {
      complain(one.title + ': ' + (error.stack || error));
    }
  window.addEventListener('beforeprint', () => {
    for (const one of planned)
      Chart.getChart(one.canvas)?.resize();
  });

  /** Whether something coloured is within the axes of a chart. */
  function isBlank(canvas) {
    const chart = Chart.getChart(canvas);
    if (!chart)
      return true;
    const {left, top, width, height} = chart.chartArea, ratio = chart.currentDevicePixelRatio;
    if (!(width > 0 && height > 0))
      return true;
    const pixels = canvas.getContext('2d').getImageData(Math.round(left * ratio), Math.round(top * ratio),
      Math.ceil(width * ratio), Math.ceil(height * ratio)).data;
    for (let i = 0; i < pixels.length; i += 4) {
      const [r, g, b, a] = pixels.subarray(i, i + 4);
      if (a > 20 && Math.max(r, g, b) - Math.min(r, g, b) > 25)
        return false;
    }
    return true;
  }

  // What the tests ask for: report.html#check.
  const finish = () => {
    if (location.hash === '#check') {
      for (const one of planned)
        Chart.getChart(one.canvas)?.resize();
      root.dataset.blank = planned.filter((one) => isBlank(one.canvas)).map((one) => one.title).join('\n');
      root.dataset.widths = root.scrollWidth + '/' + root.clientWidth;
    }
    root.dataset.charts = drawn + '/' + planned.length;
    if (location.hash === '#check' && window.parent !== window)
      window.parent.postMessage({...root.dataset}, '*');
  };
  // Sizes settle, and charts with them, after the first layout. A timer, since a browser
  // without a window may draw no frame in time.
  window.addEventListener('load', () => setTimeout(finish, 100));
})();
