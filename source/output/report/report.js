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
    const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential(wanted - 1) :
      Number(value).toPrecision(wanted);
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
  /** Of what the draws of all levels say together. */
  const levelsColour = '#cc2a6a';

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

  // What a click in the legend brings to light must fit, too.
  const toggle = Chart.defaults.plugins.legend.onClick;
  Chart.defaults.plugins.legend.onClick = function(event, item, legend) {
    toggle.call(this, event, item, legend);
    legend.chart.$fit?.();
  };

  /** A picture, shaded ranges and straight lines: options.plugins.marks. */
  Chart.register({
    id: 'marks',
    beforeDatasetsDraw(chart, _, options) {
      const {ctx, chartArea: area, scales} = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      if (options.image) {
        const {picture, x, y} = options.image;
        const left = scales.x.getPixelForValue(x[0]), top = scales.y.getPixelForValue(y[1]);
        ctx.drawImage(picture, left, top, scales.x.getPixelForValue(x[1]) - left,
          scales.y.getPixelForValue(y[0]) - top);
      }
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
      if (options.frame) {
        ctx.strokeStyle = '#9aa3af';
        ctx.strokeRect(area.left + .5, area.top + .5, area.width - 1, area.height - 1);
      }
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
        chart.zoomed = true;
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
      chart.zoomed = false;
      chart.$fit();
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
      const {reach, isCropped, ...configuration} = makeConfiguration();
      const {scales} = configuration.options;
      fitAxes(scales, configuration.data.datasets.filter((one) => !one.hidden), reach);
      if (chart)
        chart.destroy();
      chart = new Chart(canvas, configuration);
      chart.$isCropped = isCropped;
      chart.$limits = {};
      for (const id of Object.keys(chart.options.scales || {}))
        chart.$limits[id] = {min: scales[id]?.min, max: scales[id]?.max};
      chart.$fit = () => {
        if (!chart.$zoomed)
          fitAxes(chart.options.scales,
            chart.data.datasets.filter((_, i) => chart.isDatasetVisible(i)), reach);
        chart.update('none');
      };
      return chart;
    };
    planned.push({title: title || note, draw, canvas, holder,
      zoom: () => makeZoomable({
        get canvas() { return canvas; },
        get chartArea() { return chart.chartArea; },
        get scales() { return chart.scales; },
        get options() { return chart.options; },
        get $limits() { return chart.$limits; },
        set zoomed(value) { chart.$zoomed = value; },
        $fit: () => chart.$fit(),
        update: (mode) => chart.update(mode)
      }, holder)});
    return draw;
  }

  /** The ends of some numbers; what is no number is left out. */
  function rangeOf(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values)
      if (value !== null && Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    return low <= high ? [low, high] : [0, 1];
  }

  /**
   * Sets the limits of axes so that all that is shown is within them. The library takes points
   * for sorted that nobody has parsed, and would take their limits from the first and the last.
   * Of an axis: include, what else must be within; floor, where it begins if nothing is
   * below; margin, a share of the range; min and max, where it ends in any case. equal: one scale
   * for both axes.
   */
  function fitAxes(scales, datasets, reach) {
    if (!reach)
      return;
    const limits = {};
    for (const id of ['x', 'y'])
      if (reach[id]) {
        const {include = [], floor, margin = .04, min, max} = reach[id];
        const values = [...include];
        for (const one of datasets)
          if (!one.isBackground)
            for (const point of one.data)
              values.push(point[id]);
        const [low, high] = rangeOf(values);
        const room = high > low ? margin * (high - low) : .05 * Math.abs(high) || .5;
        limits[id] = [min ?? (floor !== undefined && low >= floor ? floor : low - room), max ?? high + room];
      }
    if (reach.equal) {
      const span = Math.max(...Object.values(limits).map(([low, high]) => high - low));
      for (const id of Object.keys(limits)) {
        const middle = (limits[id][0] + limits[id][1]) / 2;
        limits[id] = [middle - span / 2, middle + span / 2];
      }
    }
    for (const [id, [min, max]] of Object.entries(limits))
      Object.assign(scales[id], {min, max});
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
      ticks: {maxTicksLimit: 7, maxRotation: 0, includeBounds: false}, grid: {drawTicks: true}},
    more || {});
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
    const {marks, legend, scales, tooltip, reach, isCropped, ...rest} = more || {};
    for (const one of datasets)
      one.pointStyle = one.pointStyle || (one.showLine === false ? 'circle' : one.fill ? 'rect' : 'line');
    // Axes without limits of their own reach over the data.
    const fits = {};
    for (const id of ['x', 'y']) {
      const wish = (scales || {})[id] || {};
      if (wish.min === undefined || wish.max === undefined)
        fits[id] = {...(reach || {})[id], min: wish.min, max: wish.max};
    }
    return {type: 'line', data: {datasets}, reach: fits, isCropped, options: Object.assign({
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
    // The question is the title; of a long one the first sentence, if that is not long, too.
    const asked = report.question ? report.question[0].toUpperCase() + report.question.slice(1) : '';
    const longest = 140;
    const end = asked.length > longest ? asked.slice(0, longest).search(/[.?!]\s/) + 1 : asked.length;
    const title = asked.slice(0, end) || (asked ? asked : report.title || 'A run');
    document.title = (title.length > 80 ? title.slice(0, 78) + '…' : title) + ' | Tempera';
    main.append(element('h1', {class: title.length > longest ? 'long' : ''}, title));
    if (asked.length > title.length)
      main.append(element('p', {class: 'question'}, asked.slice(title.length).trim()));
    const facts = element('div', {class: 'facts'});
    const fact = (name, value) =>
      facts.append(element('div', {}, element('span', {}, name), element('b', {}, value)));
    if (asked)
      fact('sampled', report.title);
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
    const levels = report.levelEstimates;
    if (levels) {
      part.append(element('p', {class: 'about', style: 'margin-top: 12px'}, levels.objection ?
        'The draws of all levels do not make a better estimate: ' + levels.objection + '.' :
        'From the draws of all levels, corrected to level ' + levels.fine + ': ' +
        plural(levels.draws, 'draw') + ' of level ' + levels.coarse + ', of which ' +
        levels.weighted.toLocaleString('en-US') + ' are weighted with the finer energy (log w: ' +
        number(levels.spread, 2) + ').'));
      const cells = (tag, texts) => element('tr', {}, ...texts.map((text, i) =>
        element(tag, i === 0 ? {class: 'text'} : {}, text)));
      if (!levels.objection)
        part.append(element('div', {class: 'wide'}, element('table', {},
          element('thead', {}, cells('th', ['', 'mean', 'error', 'sd', 'error', '5 %', '50 %', '95 %'])),
          element('tbody', {}, ...levels.rows.map((row) => cells('td', [row.name, number(row.mean, 5),
            number(row.error, 2), number(row.sd, 4), number(row.sdError, 2), number(row.low),
            number(row.median), number(row.high)]))))));
    }
  }

  /** How probable the measurements are with this model: its evidence. */
  function evidence() {
    const found = report.evidence;
    if (!found || found.objection)
      return;
    const pair = ({value, error}) => number(value, 5) + ' ± ' + number(error, 2);
    const part = section('Evidence', 'Logarithm of the mean likelihood over the prior: ' +
      pair(found.logEvidence) + (found.hasConstant ? '; without the likelihood\'s constant ' +
      number(found.logIntegral, 5) : '; with the energies as they are') +
      '. It is the mean over the posterior less the information that the data have brought, ' +
      pair(found.information) + ' nats. Forward: from draws of the hotter rung of a pair alone; backward: of the colder.');
    part.append(tableOf(['from rung', 'to', 'log ratio', 'forward', 'backward', 'overlap'], found.pairs.map((one) =>
      [String(one.rung + 1), one.rung + (one.isBridge ? ', another level' : ''), pair(one.logRatio),
        pair(one.forward), pair(one.backward),
        element('td', {class: one.isGood ? '' : 'bad'}, number(one.overlap, 2))])));
    if (!found.parts.length)
      return;
    const line = (key, label, colour, order) => [
      {label, data: found.parts.map((one) => ({x: one.share, y: one[key].value})), borderColor: colour, order},
      ...[-2, 2].map((factor) => ({label: factor < 0 ? 'two errors' : '', order: order + 2,
        data: found.parts.map((one) => ({x: one.share, y: one[key].value + factor * one[key].error})),
        borderColor: colour, borderDash: [3, 3], borderWidth: 1}))];
    figure(grid(part), 'Log evidence from a part of the draws', 'the two meet at the whole; both should stay within ' +
      'the errors of it', () => lines([...line('first', 'first draws', '#0072b2', 0),
      ...line('last', 'last draws', '#d55e00', 1)], 'share of the draws', 'log evidence',
    {scales: {x: {min: 0, max: 1}}, legend: {display: true, labels: {filter: (item) => item.text !== ''}}}));
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
    if (report.chains > 1 && data.columns > 1) {
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
        return {type: 'scatter', data: {datasets}, reach: {x: {}, y: {}, equal: isPlace}, options: {parsing: false,
          scales: {x: axis(names[0]), y: axis(names[1])},
          plugins: {tooltip: say(names[0], names[1]), legend: {labels: {boxHeight: 8}}}}};
      }, 'square'));
      return;
    }

    corner(part, controls, redraws, {cloud, say, isByChain: () => byChain});
  }

  const pen = document.createElement('canvas').getContext('2d');
  function textWidth(text, size) {
    pen.font = size + 'px ' + Chart.defaults.font.family;
    return pen.measureText(text).width;
  }

  /** A name cut to so many pixels. */
  function fitted(name, size, pixels) {
    let result = name;
    while (result.length > 1 && textWidth(result, size) > pixels)
      result = result.slice(0, result.endsWith('…') ? -2 : -1) + '…';
    return result;
  }

  /** Round numbers within a range, at most so many but at least two, with their texts. */
  function roundNumbers([low, high], most) {
    let power = Math.floor(Math.log10(high - low)), best = [], bestStep = 1;
    for (let k = power + 1; k >= power - 2; --k)
      for (const digit of [5, 2, 1]) {
        const step = digit * 10 ** k, found = [];
        // The margin keeps numbers of neighbours apart.
        const from = Math.ceil((low + .05 * (high - low)) / step), to = Math.floor((high - .05 * (high - low)) / step);
        if (to - from > 20)
          continue;
        for (let i = from; i <= to; ++i)
          found.push(i * step);
        if (found.length > best.length && (found.length <= most || best.length < 2)) {
          best = found;
          bestStep = step;
        }
      }
    const decimals = Math.max(0, -Math.floor(Math.log10(bestStep) + 1e-9));
    const largest = Math.max(...best.map(Math.abs));
    return best.map((value) => ({value: Number(value.toPrecision(14)), label:
      decimals <= 5 && largest < 1e6 ? value.toFixed(decimals) :
        value === 0 ? '0' : value.toExponential(Math.max(0, Math.min(12,
          Math.floor(Math.log10(Math.abs(value)) + 1e-9) + decimals -
          (bestStep >= 10 ? Math.floor(Math.log10(bestStep) + 1e-9) : 0))))}));
  }

  /**
   * Pairs below the diagonal, marginals on it. All plots have one size, a column has one range
   * of x and a row one of y, and their numbers stand below the last row and left of the first
   * column, in windows of any width.
   */
  function corner(part, controls, redraws, {cloud, say, isByChain}) {
    const data = report.scatter, names = report.columns, n = data.columns;
    const place = grid(part, 'pairs');
    const gap = 5, font = 10;
    let ranges, ticks, side, left, bottom, isUpright;
    const plan = () => {
      const rung = isByChain() ? 0 : pairRung;
      ranges = data.rungs[rung].map((values, column) => {
        const [low, high] = rangeOf(values.concat(ends(report.marginals[column].rungs[rung]),
          data.truth.filter((state) => state.length > column).map((state) => state[column])));
        const margin = .04 * (high - low) || 1e-3 * Math.abs(high) || 1;
        return [low - margin, high + margin];
      });
      const inner = getComputedStyle(place);
      const width = place.clientWidth - parseFloat(inner.paddingLeft) - parseFloat(inner.paddingRight);
      // Numbers at the left need room, which the plots lose, which decides on the numbers.
      left = 60;
      for (let i = 0; i < 2; ++i) {
        side = Math.max(24, Math.floor((width - left - (n - 1) * gap) / n));
        ticks = ranges.map((range) => roundNumbers(range, Math.max(2, Math.min(6, Math.floor(side / 45)))));
        const widest = (list) => Math.max(0, ...list.map((tick) => textWidth(tick.label, font)));
        isUpright = ticks.some((list) => (widest(list) + 8) * list.length > side);
        left = Math.ceil(Math.max(...ticks.slice(1).map(widest))) + 28;
        bottom = (isUpright ? Math.ceil(Math.max(...ticks.map(widest))) : font) + 28;
      }
      place.style.gap = gap + 'px';
      place.style.gridTemplateColumns = (left + side) + 'px repeat(' + (n - 1) + ', ' + side + 'px)';
      place.style.gridTemplateRows = 'repeat(' + (n - 1) + ', ' + side + 'px) ' + (side + bottom) + 'px';
    };
    const edge = (id, column, isShown, hasNumbers) => ({
      type: 'linear', min: ranges[column][0], max: ranges[column][1],
      title: {display: isShown, text: fitted(names[column], 11, side), padding: 0, font: {size: 11}},
      grid: {drawTicks: false},
      ticks: {display: isShown && hasNumbers, font: {size: font}, padding: 4, autoSkip: false,
        minRotation: id === 'x' && isUpright ? 90 : 0, maxRotation: id === 'x' && isUpright ? 90 : 0},
      afterBuildTicks: (scale) => scale.ticks = ticks[column].map((tick) => ({value: tick.value})),
      afterTickToLabelConversion: (scale) => scale.ticks.forEach((tick, i) => tick.label = ticks[column][i].label),
      // All plots have one size, whatever stands beside them.
      afterFit: (scale) => {
        if (id === 'y')
          scale.width = isShown ? left : 0;
        else
          scale.height = isShown ? bottom : 0;
        Object.assign(scale, {paddingLeft: 0, paddingRight: 0, paddingTop: 0, paddingBottom: 0});
      }});
    plan();
    const charts = [];
    for (let row = 0; row < n; ++row)
      for (let column = 0; column < n; ++column) {
        if (column > row) {
          place.append(element('div'));
          continue;
        }
        charts.push(figure(place, '', names[column] + (row === column ? '' : ' and ' + names[row]), () => {
          const x = edge('x', column, row === n - 1, true);
          const layout = {autoPadding: false, padding: 0};
          if (row === column) {
            const config = marginal(row, true);
            const y = edge('y', row, column === 0, false);
            y.grid.display = false;
            config.options.scales = {x, y};
            config.options.layout = layout;
            config.options.plugins.marks.frame = true;
            config.reach = {y: {floor: 0}};
            return config;
          }
          return {type: 'scatter', data: {datasets: cloud(column, row, side < 120 ? .9 : 1.2)}, options: {
            parsing: false, layout, scales: {x, y: edge('y', row, column === 0, true)},
            plugins: {marks: {frame: true}, legend: {display: false}, tooltip: say(names[column], names[row])}}};
        }, 'pair'));
      }
    const redrawAll = () => {
      plan();
      charts.forEach((redraw) => redraw());
    };
    redraws.push(redrawAll);
    let width = place.clientWidth;
    new ResizeObserver(() => {
      if (place.clientWidth === width)
        return;
      width = place.clientWidth;
      redrawAll();
    }).observe(place);
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
    if (data.levels && !isPlain)
      datasets.push({label: 'all levels', data: outline(data.levels), borderColor: levelsColour, borderWidth: 2,
        fill: false, order: -1});
    const range = ends(data.rungs[0]), spread = range[1] - range[0];
    const truth = report.unknowns[column].truth;
    const isNear = (value) => value > range[0] - 4 * spread && value < range[1] + 4 * spread;
    const reach = {x: {include: truth.filter(isNear)}, y: {floor: 0, include: []}};
    if (!isPlain && (data.law || data.prior)) {
      // The whole prior, if the draws are still seen beside it.
      const [low, high] = data.law ? [data.law.low, data.law.high] : ends(data.prior);
      if (high - low < 4 * spread)
        reach.x.include.push(low, high);
      const shown = rangeOf(range.concat(reach.x.include));
      const curve = data.law ? points(data.law.x, data.law.density) : outline(data.prior);
      reach.y.include = curve.filter(({x}) => x >= shown[0] && x <= shown[1]).map((point) => point.y);
      datasets.push({label: 'prior', data: curve, isBackground: true, borderColor: priorColour,
        borderDash: [2, 2], backgroundColor: faint(priorColour, .08), fill: 'origin', order: 50});
    }
    return lines(datasets, isPlain ? '' : report.columns[column], isPlain ? '' : 'density', {
      scales: {x: {ticks: {includeBounds: false, maxTicksLimit: 8, maxRotation: 0}}}, reach,
      legend: {display: !isPlain && datasets.length > 1},
      marks: {lines: truth.filter(isNear).map((value) => ({x: value}))}});
  }

  /** What a marginal cannot show. */
  function beyond(column) {
    const {beyond: n, least, largest} = report.marginals[column].rungs[0];
    const [low, high] = ends(report.marginals[column].rungs[0]), spread = high - low;
    const far = report.unknowns[column].truth.filter((value) =>
      !(value > low - 4 * spread && value < high + 4 * spread));
    return (n ? '; ' + plural(n, 'draw') + ' beyond the picture, from ' + number(least) + ' to ' +
      number(largest) : '') + (far.length ? '; truth beyond the picture: ' + far.map((one) => number(one)).join(', ') : '');
  }

  function marginals() {
    if (!report.marginals || !report.marginals.length)
      return;
    const hasPrior = report.marginals.some((one) => one.prior || one.law);
    const hasTruth = report.unknowns.some((one) => one.truth.length);
    const hasLevels = report.marginals.some((one) => one.levels);
    const part = section('Marginals', 'Densities of the coldest rung; hotter rungs by a click in the ' +
      'legend' + (hasLevels ? '; the red line is from the draws of all levels' : '') +
      (hasPrior ? '; the prior is dotted' : '') +
      (hasTruth ? '; truth: broken line' : '') +
      '. The range is that of the draws; a prior that is much wider leaves it.');
    const place = grid(part, report.columns.length > 3 ? 'small' : '');
    report.columns.forEach((name, column) => {
      const one = report.unknowns[column];
      figure(place, name, 'mean ' + within(one.mean, one.sd) + ', sd ' + number(one.sd, 3) +
        (one.prior ? ', prior ' + one.prior : '') + beyond(column), () => marginal(column, false));
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
    const controls = element('div', {class: 'controls'});
    part.append(controls);
    if (names.length > 1) {
      const order = [...report.columns, 'energy'];
      chooser(controls, 'Show', order, (choice) => {
        chosen = choice === report.columns.length ? 0 : choice + 1;
        redraws.forEach((redraw) => redraw());
      });
    }
    // What came from far away in burn-in may hide what came later.
    let hasBurnIn = true;
    if (report.burnIn > 0 && report.hasDraws)
      chooser(controls, 'Range', ['all draws', 'after burn-in'], (choice) => {
        hasBurnIn = choice === 0;
        redraws.forEach((redraw) => redraw());
      });
    const trace = (datasets) => {
      const late = hasBurnIn ? null : rangeOf(datasets.flatMap((one) => one.data)
        .filter((point) => point.x > report.burnIn).map((point) => point.y).concat(truthLines().map((line) => line.y)));
      const room = late ? .04 * (late[1] - late[0]) || .5 : 0;
      return lines(datasets, 'round', names[chosen], {isCropped: !hasBurnIn,
        marks: Object.assign(burnIn(), {lines: truthLines()}), reach: {y: {include: truthLines().map((line) => line.y)}},
        scales: {x: roundAxis(), ...(late ? {y: {min: late[0] - room, max: late[1] + room}} : {})}});
    };
    const truthLines = () => chosen === 0 ? [] :
      report.unknowns[chosen - 1].truth.map((value) => ({y: value}));
    const place = grid(part);
    redraws.push(figure(place, report.chains > 1 ? 'The coldest rung, by chain' : 'The coldest rung', '',
      () => trace(data.rounds.map((rounds, chain) => ({label: 'chain ' + chain,
        data: points(rounds, chosen === 0 ? data.chainEnergies[chain] :
          data.chains[chain][chosen - 1]), ...dots(faint(chainColour(chain), .7))})))));
    if (nRungs > 1)
      redraws.push(figure(place, 'All rungs' + (report.chains > 1 ? ' of chain 0' : ''), '',
        () => trace(report.rungs.map((rung, i) => ({label: shortRung(rung), order: i,
          data: points(data.rounds[0], chosen === 0 ? data.rungEnergies[i] :
            i === 0 ? data.chains[0][chosen - 1] : data.rungs[i][chosen - 1]),
          ...dots(faint(colourOfRung(i), .7))})))));
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
      const value = (x) => logarithmic ? 10 ** x - 1 : x;
      const marks = [0, 1, 3, 10, 30, ...Array.from({length: 40}, (_, i) => 10 ** (i + 2))];
      return lines(rungs.map((histogram, i) => ({
        label: shortRung(report.rungs[i]), data: outline(histogram), borderColor: colourOfRung(i),
        backgroundColor: faint(colourOfRung(i), .18), fill: 'origin'})),
      logarithmic ? 'energy above the least' : 'energy',
      logarithmic ? 'density, scaled to 1' : 'density',
      {reach: {y: {floor: 0}}, scales: {x: logarithmic ? {
        afterBuildTicks: (scale) => scale.ticks = marks.map((mark) => ({value: Math.log10(1 + mark)}))
          .filter((tick) => tick.value >= scale.min && tick.value <= scale.max),
        ticks: {maxRotation: 0, callback: (x) => number(value(x), 2)}} : {}},
      tooltip: {callbacks: {title: () => '', label: (item) => item.dataset.label + ': energy ' +
        number(value(item.parsed.x), 4) + ', density ' + number(item.parsed.y, 3)}}});
    });
    const data = report.traces;
    figure(place, 'As the run went on' + (report.chains > 1 ? ', chain 0' : ''),
      report.burnIn > 0 ? 'the range is that of the draws after burn-in' : '',
      () => lines(report.rungs.map((rung, i) => ({label: shortRung(rung), order: i,
        data: points(data.rounds[0], data.rungEnergies[i]), ...dots(faint(colourOfRung(i), .7))})), 'round', 'energy',
      {marks: burnIn(), scales: {x: roundAxis(), y: energyRange()}, isCropped: true}));
  }

  /** Without burn-in, which may come from far away. */
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
      {scales: {x: {ticks: {stepSize: Math.ceil(report.allRungs / 12), precision: 0, includeBounds: false}}, y: {min: 0, max: 1.02,
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
    if (data.lags.length && data.values.some((values) => values.some((value) => value !== null)))
      figure(place, 'Autocorrelation', 'coldest rung, mean of the chains about their common mean',
        () => lines(data.names.map((name, i) => ({label: short(name), data: points(data.lags, data.values[i]),
          borderColor: i === 0 ? '#8c8c8c' : chainColour(i - 1), hidden: i > 6,
          borderDash: i === 0 ? [5, 4] : i > 6 ? [2, 2] : [],
          borderWidth: 1.8})).sort((a, b) => (a.label === 'energy') - (b.label === 'energy')),
        'lag in draws', 'correlation', {reach: {y: {include: [-.1, 1]}},
          scales: {x: {min: 0, max: data.lags[data.lags.length - 1]}},
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
      }), 'rank, scaled', 'share', {scales: {x: {min: 0, max: 1}}, reach: {y: {floor: 0, include: [2 * share]}},
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
      'mean, 5 % and 95 %' + (data && data.states ? ', ' + plural(data.states, 'state') : '') + '.');
    const place = grid(part);
    
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

    if (!data)
      return;
    const hasCurve = curve && curve.names.includes('mean') && !data.compared;
    const groups = seriesOfData(data);
    if (groups)
      overTimeOrPlace(part, data, groups);
    else if (!hasCurve)
      byMeasurement(place, data);
    if (!place.children.length)
      place.remove();
    if (data.compared)
      tableOfData(part, data);
  }

  // Where and when data were taken. Records of older versions do not know it.
  const dimensionOf = (data) => Math.max(0, ...(data.places || []).map((place) => place.length));
  const coordinateNames = ['x', 'y', 'z'];
  const placeText = (place) => place.length === 1 ? 'x = ' + number(place[0], 6) :
    '(' + place.map((value) => number(value, 6)).join(', ') + ')';
  const distinct = (values) => [...new Set(values.filter((value) => value !== null && value !== undefined))]
    .sort((a, b) => a - b);

  /**
   * Many data that make curves: over time at each place, or along a line at each time. Null if
   * they make none.
   */
  function seriesOfData(data) {
    const few = 12;
    if (!data.compared || data.numbers.length <= few || dimensionOf(data) === 0)
      return null;
    const keys = data.places.map((place) => JSON.stringify(place));
    const nPlaces = new Set(keys).size, nTimes = distinct(data.times).length;
    const isOverTime = nTimes >= 3 && (dimensionOf(data) > 1 || nTimes >= nPlaces || nPlaces < 3);
    if (!isOverTime && !(dimensionOf(data) === 1 && nPlaces >= 3))
      return null;
    const x = isOverTime ? data.times : data.places.map((place) => place[0]);
    const groups = new Map();
    data.numbers.forEach((_, i) => {
      const key = isOverTime ? keys[i] : String(data.times[i]);
      if (!groups.has(key))
        groups.set(key, {indices: [], title: isOverTime ? 'At ' + placeText(data.places[i]) :
          data.times[i] === null ? 'Along x' : 'At t = ' + number(data.times[i], 6)});
      groups.get(key).indices.push(i);
    });
    // Curves of single points are none.
    const all = [...groups.values()];
    if (all.reduce((n, one) => n + one.indices.length, 0) < 3 * all.length)
      return null;
    all.forEach((one) => one.indices.sort((i, k) => x[i] - x[k]));
    return {all, x, title: isOverTime ? 'time' : 'x'};
  }

  /** What is predicted as a curve with its band, the data with their errors in front. */
  function curveOfData(data, x, indices) {
    const pick = (values) => indices.map((i) => values[i]);
    const at = pick(x), values = pick(data.values), deviations = pick(data.deviations);
    const datasets = [];
    if (data.states > 0) {
      datasets.push({label: '5 %', data: points(at, pick(data.low)), borderColor: faint('#0072b2', .5), borderWidth: .8},
        {label: 'predicted, 5 % to 95 %', data: points(at, pick(data.high)), borderColor: faint('#0072b2', .5),
          borderWidth: .8, fill: '-1', backgroundColor: faint('#0072b2', .25)},
        {label: 'predicted mean', data: points(at, pick(data.mean)), borderColor: '#0072b2'});
    }
    datasets.push({label: 'measured ± deviation', order: -1, borderColor: '#d55e00', borderWidth: 1.5,
      data: bars(at, values.map((v, i) => deviations[i] === null ? null : v - deviations[i]),
        values.map((v, i) => deviations[i] === null ? null : v + deviations[i]))},
    {label: 'measured', data: points(at, values), showLine: false, order: -2, pointRadius: 3,
      backgroundColor: '#d55e00', borderColor: '#d55e00'});
    return datasets;
  }

  function overTimeOrPlace(part, data, {all, x, title}) {
    const most = 9;
    const xRange = {include: x};
    const chart = (one) => {
      const datasets = curveOfData(data, x, one.indices);
      return lines(datasets, title, 'value', {reach: {x: xRange}, legend: {display: false},
        tooltip: sayPoint(title, '')});
    };
    // One for all.
    const mark = (colour, text) => element('span', {}, element('i', {style: 'background: ' + colour}), text);
    part.append(element('div', {class: 'key'}, mark('#d55e00', 'measured ± deviation'),
      ...(data.states > 0 ? [mark('#0072b2', 'predicted mean'), mark('#0072b240', 'predicted, 5 % to 95 %')] : [])));
    if (all.length <= most) {
      const place = grid(part, all.length > 2 ? 'small' : '');
      place.style.marginTop = '14px';
      all.forEach((one) => figure(place, one.title, plural(one.indices.length, 'measurement'), () => chart(one)));
      return;
    }
    let chosen = 0;
    const controls = element('div', {class: 'controls'});
    part.append(controls);
    const place = grid(part);
    const redraw = figure(place, 'Measurements and what is predicted', '', () => chart(all[chosen]));
    chooser(controls, title === 'time' ? 'Place' : 'Time', all.map((one) => one.title.replace(/^At /, '')),
      (choice) => {
        chosen = choice;
        redraw();
      });
  }

  /** A measurement by its place and time, or by its name if these are not known. */
  const measurementName = (data, i) => i < 0 || i >= data.numbers.length ? '' : !data.compared ?
    'number ' + data.numbers[i] : data.places[i].length ? placeText(data.places[i]) +
    (data.times[i] === null ? '' : ', t = ' + number(data.times[i], 6)) : data.names[i];

  /** The mouse says which measurement it is at. */
  const sayMeasurement = (data) => ({mode: 'nearest', intersect: false, callbacks: {
    title: (items) => measurementName(data,
      items.length ? data.numbers.indexOf(Math.round(items[0].parsed.x)) : -1),
    label: (item) => item.dataset.label + ': ' + number(item.parsed.y, 5)}});

  /** An axis of measurements: of few with their names, of many with their numbers. */
  function measurementAxis(data) {
    const x = data.numbers, isFew = x.length <= 40, isNamed = data.compared && x.length <= 12;
    const ticks = isNamed ? {autoSkip: false, maxRotation: 60, font: {size: 11},
      callback: (value) => short(measurementName(data, x.indexOf(value)))} :
      {includeBounds: !isFew, precision: 0, maxTicksLimit: 12};
    return {min: isFew ? x[0] - .5 : x[0], max: isFew ? x[x.length - 1] + .5 : Math.max(x[0] + 1, x[x.length - 1]), ticks,
      ...(isNamed ? {afterBuildTicks: (scale) => scale.ticks = x.map((value) => ({value}))} : {})};
  }

  function byMeasurement(place, data) {
    const x = data.numbers, isFew = x.length <= 40, hasStates = data.states > 0;
    const datasets = [];
    if (hasStates && isFew && data.compared) {
      datasets.push({label: 'predicted, 5 % to 95 %', data: bars(x.map((v) => v + .12), data.low, data.high),
        borderColor: faint('#0072b2', .45), borderWidth: 9});
      datasets.push({label: 'predicted mean', data: points(x.map((v) => v + .12), data.mean),
        showLine: false, pointRadius: 5, pointStyle: 'rectRot', backgroundColor: '#0072b2',
        borderColor: '#0072b2'});
    } else if (hasStates) {
      datasets.push({label: '5 %', data: points(x, data.low), borderColor: faint('#0072b2', .5), borderWidth: .8});
      datasets.push({label: '95 %', data: points(x, data.high), borderColor: faint('#0072b2', .5),
        borderWidth: .8, fill: '-1', backgroundColor: faint('#0072b2', .25)});
      datasets.push({label: 'mean', data: points(x, data.mean), borderColor: '#0072b2'});
    }
    if (data.compared) {
      const at = x.map((v) => v + (isFew && hasStates ? -.12 : 0));
      if (isFew)
        datasets.push({label: 'measured ± deviation', order: -1,
          data: bars(at, data.values.map((v, i) => data.deviations[i] === null ? null : v - data.deviations[i]),
            data.values.map((v, i) => data.deviations[i] === null ? null : v + data.deviations[i])),
          borderColor: '#d55e00', borderWidth: 2});
      datasets.push({label: 'measured', data: points(at, data.values), showLine: false, order: isFew ? -2 : 9,
        pointRadius: isFew ? 4 : 1.8, backgroundColor: '#d55e00', borderColor: '#d55e00'});
    }
    if (datasets.length)
      figure(place, data.compared ? 'Measurements and what is predicted' : 'Predictions', '',
        () => lines(datasets, data.compared ? 'measurement' : 'number', 'value',
          {scales: {x: measurementAxis(data)}, tooltip: sayMeasurement(data)}));
  }

  const isAnyKnown = (values) => values && values.some((one) => one !== null) ? values : null;

  /** (measured - mean prediction) / deviation of each measurement; null without predictions. */
  const plainResiduals = (() => {
    const data = report.fit;
    if (!data || !data.compared || !(data.states > 0))
      return null;
    return isAnyKnown(data.values.map((value, i) => data.mean[i] === null || !(data.deviations[i] > 0) ? null :
      (value - data.mean[i]) / data.deviations[i]));
  })();
  /** The same in the deviation that they should have, and independent, where that was found out. */
  const standardised = plainResiduals && isAnyKnown(report.fit.standardised);
  const residuals = standardised || plainResiduals;

  function tableOfData(part, data) {
    const dimension = dimensionOf(data), hasTimes = distinct(data.times || []).length > 0;
    const hasStates = data.states > 0, few = 12;
    const levels = report.levelEstimates && !report.levelEstimates.objection &&
      report.levelEstimates.predictions.length === data.all ? report.levelEstimates : null;
    const numbers = (tag, texts) => element('tr', {}, ...texts.map((text) => element(tag, {}, text)));
    const head = ['', ...(dimension ? coordinateNames.slice(0, dimension) : ['name']), ...(hasTimes ? ['t'] : []),
      'measured', 'deviation', ...(hasStates ? ['mean prediction', ...(levels ? ['from all levels', 'error'] : []),
        '5 %', '95 %', 'residual / deviation',
        ...(standardised ? ['standardised'] : [])] : [])];
    const fixed = (values, i) => values && values[i] !== null ? values[i].toFixed(2) : '–';
    const body = data.numbers.map((n, i) => {
      const digits = data.deviations[i];
      const line = numbers('td', [String(n),
        ...(dimension ? Array.from({length: dimension}, (_, d) => number(data.places[i][d], 6)) : [short(data.names[i])]),
        ...(hasTimes ? [number(data.times[i], 6)] : []), within(data.values[i], digits), number(digits, 3),
        ...(hasStates ? [within(data.mean[i], digits), ...(levels ? [within(levels.predictions[n - 1],
          10 * levels.predictionErrors[n - 1]), number(levels.predictionErrors[n - 1], 2)] : []),
          within(data.low[i], digits), within(data.high[i], digits),
          fixed(plainResiduals, i), ...(standardised ? [fixed(standardised, i)] : [])] : [])]);
      if (residuals && Math.abs(residuals[i]) > 3)
        line.lastChild.className = 'bad';
      return line;
    });
    part.append(element('details', data.numbers.length <= few ? {open: ''} : {},
      element('summary', {}, data.all > data.numbers.length ? data.numbers.length + ' of ' +
        plural(data.all, 'measurement') : plural(data.all, 'measurement')),
      element('div', {class: 'wide tall'}, element('table', {}, element('thead', {}, numbers('th', head)),
        element('tbody', {}, ...body)))));
  }

  function residualsOfData() {
    const data = report.fit;
    if (!residuals)
      return;
    const known = residuals.filter((one) => one !== null);
    const outside = (bound) => known.filter((one) => Math.abs(one) > bound).length;
    const meanSquare = known.reduce((sum, one) => sum + one * one, 0) / known.length;
    const judged = data.judged, nFollowed = residuals.length - known.length;
    const part = section('Residuals', (standardised ?
      'Measured − mean prediction, over the deviation that it should have: that of the error, without what the ' +
      'unknowns follow' + (data.correlated ? ', and without what errors before it tell' : '') +
      (nFollowed ? '. ' + plural(nFollowed, 'measurement') + ' that the unknowns follow ' +
        (nFollowed === 1 ? 'has' : 'have') + ' none' : '') :
      '(measured − mean prediction) / deviation' + (data.unknownDeviation ? ', the median of its draws' : '') +
      (data.correlated ? '; errors are correlated, which these do not take into account' : '') +
      '; mean square ' + number(meanSquare, 3) + ', below 1 as far as the unknowns follow the data') +
      '. Of ' + known.length + ', ' + outside(2) + ' beyond ±2 and ' + outside(3) + ' beyond ±3. ' +
      (data.noise ? 'Errors are not plainly Gaussian (' + data.noise + '), so that more may be far out; nothing is ' +
        'tested. ' : 'If model and errors are right, about 5 in 100 are beyond ±2, 3 in 1,000 beyond ±3. ') +
      'There should be no pattern over time or place.');
    if (judged)
      part.append(sentences(['Chi-square ' + number(judged.chiSquare, 3) + ', expected ' + judged.tested + ' ± ' +
        number(judged.deviation, 2) + (judged.ofBestDraw ? ', of the best draw: the chains disagree.' :
        '; the unknowns take up ' + number(judged.parameters, 2) + ' of ' + plural(data.all, 'measurement') + '.'),
      ...(judged.suggested !== null ? ['Deviation of the errors: ' + number(judged.given, 3) + ' was given, the ' +
        'residuals suggest ' + number(judged.suggested, 2) + '.'] : judged.factor !== null ?
        ['The residuals suggest errors ' + number(judged.factor, 2) + ' times as large as was given.'] : [])]));
    const place = grid(part);
    const bands = [3, 2, 1].map((bound) => ({axis: 'y', from: -bound, to: bound,
      colour: {3: '#6b728012', 2: '#6b728018', 1: '#6b728022'}[bound]}));
    const marks = {bands, lines: [{y: 0, colour: '#6b7280', width: 1, dash: []}]};
    const radius = known.length <= 40 ? 4.5 : known.length <= 200 ? 3 : 2;
    const dotsOf = (label, colour, indices, x, far = '#d55e00') => {
      const colours = indices.map((i) => Math.abs(residuals[i]) > 3 ? far : colour);
      return {label, showLine: false, pointRadius: radius, backgroundColor: colours, borderColor: colours,
        data: points(indices.map((i) => x[i]), indices.map((i) => residuals[i]))};
    };
    const all = data.numbers.map((_, i) => i);
    const reach = {y: {include: [-3.2, 3.2]}};
    // Numbers where the bands end, unless there are too many.
    const y = {ticks: {includeBounds: false, ...(known.every((one) => Math.abs(one) < 6) ? {stepSize: 1} : {})}};
    const sayWhich = (x) => ({mode: 'nearest', intersect: false, callbacks: {title: (items) => {
      const {x: at, y: residual} = items.length ? items[0].parsed : {};
      return measurementName(data, all.findIndex((k) => x[k] === at && residuals[k] === residual));
    }, label: (item) => 'residual ' + number(item.parsed.y, 3)}});
    figure(place, 'By measurement', 'bands: ±1, ±2, ±3', () => lines([dotsOf('residual', '#0072b2', all, data.numbers)],
      'measurement', 'residual', {scales: {x: measurementAxis(data), y}, reach, tooltip: sayMeasurement(data),
        legend: {display: false}, marks}));
    const dimension = dimensionOf(data), times = data.times || [];
    if (distinct(times).length > 1) {
      const keys = data.places.map(placeText), places = [...new Set(keys)];
      const isByPlace = places.length > 1 && places.length <= 7;
      const colours = qualitative;
      figure(place, 'Over time', isByPlace ? 'by place' : '', () => lines(isByPlace ? places.map((one, k) =>
        dotsOf(one, colours[k], all.filter((i) => keys[i] === one), times, colours[k])) :
        [dotsOf('residual', '#0072b2', all, times)], 'time', 'residual',
      {scales: {y}, reach, tooltip: sayWhich(times), legend: {display: isByPlace}, marks}));
    }
    for (let d = 0; d < dimension; ++d) {
      const x = data.places.map((one) => one[d] ?? null);
      if (distinct(x).length > 2)
        figure(place, 'Over ' + coordinateNames[d], '', () => lines([dotsOf('residual', '#0072b2', all, x)],
          coordinateNames[d], 'residual', {scales: {y}, reach, tooltip: sayWhich(x), legend: {display: false}, marks}));
    }
  }

  const sentences = (texts) => element('ul', {class: 'sentences'}, ...texts.map((text) => element('li', {}, text)));
  const capital = (text) => text ? text[0].toUpperCase() + text.slice(1) : text;

  const tableOf = (head, lines) => element('div', {class: 'wide', style: 'margin-top: 10px'}, element('table', {},
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', {}, text)))),
    element('tbody', {}, ...lines.map((cells) => element('tr', {}, ...cells.map((cell) =>
      cell instanceof Node ? cell : element('td', {class: 'text', title: cell}, cell)))))));

  /** What was found out about each unknown, against its prior. */
  function whatDataTell() {
    const all = report.dataTell, checks = report.checks;
    if (!all.length && !checks?.findings.length)
      return;
    const part = section('What the data tell', 'Posterior against prior. The distance is the largest between the two ' +
      'distribution functions; information is how many priors the data are worth, for this unknown alone.');
    if (checks)
      part.append(sentences(checks.findings.map((one) => capital(one.sentence) + (/[.!?]$/.test(one.sentence) ? '' : '.'))
        .concat(checks.openCombination ? ['The data are silent about a combination: ' + checks.openCombination + '.'] : [])));
    const percent = (share) => Number.isFinite(share) ? number(100 * share, 2) + ' %' : '–';
    if (all.length)
      part.append(tableOf(['unknown', 'prior sd', 'posterior sd', 'share', 'distance', 'information', 'the data say'],
        all.map((one) => [one.unknown, number(one.prior), number(one.posterior), percent(one.posterior / one.prior),
          number(one.distance, 2), number(one.information), element('td', {class: 'text' +
          (['undecided', 'nothing', 'little'].includes(one.verdict) ? ' bad' : ''), title: one.verdict}, one.verdict)])));
  }

  /** Whether the levels are fine enough: what a finer one, or another rule, would change. */
  function fineEnough() {
    const checks = report.checks, mesh = report.meshError;
    if (!mesh && !(checks && (checks.refinement || checks.swapShifts.length)))
      return;
    const part = section('Fine enough?', 'What a level that is refined once would change.');
    const where = mesh && report.fit && report.fit.compared ?
      measurementName(report.fit, report.fit.numbers.indexOf(mesh.worst_measurement)) : '';
    part.append(sentences([
      checks?.refinement ? capital(checks.refinement.trim()) : '',
      mesh ? 'Predictions change by up to ' + number(mesh.prediction_change, 3) +
        ' standard deviations of their measurement' + (where ? ', most at ' + where : '') + ', and by ' +
        number(mesh.mean_prediction_change, 3) + ' on average (' + plural(mesh.draws, 'draw') +
        (Number.isFinite(mesh.share_of_work) ? ', ' + number(100 * mesh.share_of_work, 2) +
        ' % of the run’s work' : '') + ').' : '',
      mesh?.objection ? 'The error of the mesh is not known, since ' + mesh.objection + '.' : ''].filter((text) => text)));
    const cell = (value, limit, text) => element('td', {class: Math.abs(value) > limit ? 'bad' : ''},
      value === null ? '–' : text);
    const percent = (value) => number(100 * value, 2) + ' %';
    if (mesh?.unknowns.length) {
      const sd = (one) => report.unknowns.find((other) => other.name === one.name)?.sd;
      part.append(tableOf(['unknown', 'mean', '± sampling', '± mesh', 'known to', 'sd changes by', 'known to'],
        mesh.unknowns.map((one) => [one.name, number(one.mean, 5), number(one.sampling, 2),
          cell(one.mesh, checks.largestRefinementShift * sd(one), number(one.mesh, 2)), number(one.mesh_known_to, 2),
          cell(one.sd_change, checks.largestRefinementShift, percent(one.sd_change)), percent(one.sd_change_known_to)])));
    }
    if (checks?.swapShifts.length)
      part.append(tableOf(['with the rule \'exact\'', 'mean moves by, sd', 'sd changes by'],
        checks.swapShifts.map((one) => [one.column, cell(one.mean, checks.largestSwapShift, one.mean?.toFixed(2)),
          cell(one.width, checks.largestSwapShift, (100 * one.width).toFixed(0) + ' %')])));
  }

  /** A colour between some, at a place from 0 to 1. */
  function mixed(colours, place) {
    const at = Math.min(1, Math.max(0, place)) * (colours.length - 1);
    const below = Math.min(Math.floor(at), colours.length - 2);
    return colours[below].map((c, k) => Math.round(c + (at - below) * (colours[below + 1][k] - c)));
  }
  const css = (colour) => 'rgb(' + colour.join(',') + ')';
  const fieldColours = [[255, 255, 236], [214, 236, 201], [140, 205, 190], [60, 150, 160], [20, 85, 110]];
  const residualColours = [[0, 84, 147], [120, 180, 215], [255, 255, 255], [240, 160, 100], [190, 60, 0]];
  const colourBar = (colours, low, title, high) => element('div', {class: 'bar'}, element('span', {}, low),
    element('i', {style: 'background: linear-gradient(to right, ' + colours.map(css).join(', ') + ')'}),
    element('span', {}, high), element('small', {}, title));

  /** The rasters of a field, coloured. */
  const picturesOf = (field) => field.pictures.map((shades) => {
    const picture = document.createElement('canvas');
    Object.assign(picture, {width: field.columns, height: field.rows});
    const ctx = picture.getContext('2d'), image = ctx.createImageData(field.columns, field.rows);
    shades.forEach((shade, k) => {
      // Rows of the raster begin at the bottom.
      const at = 4 * ((field.rows - 1 - Math.floor(k / field.columns)) * field.columns + k % field.columns);
      image.data.set(shade === 255 ? [0, 0, 0, 0] : [...mixed(fieldColours, shade / 254), 255], at);
    });
    ctx.putImageData(image, 0, 0);
    return picture;
  });

  /** Fields that were unknown, with the sensors: one of mean, deviation, truth at a time. */
  function unknownFields() {
    for (const {name, map: field} of report.unknownFields || []) {
      if (!field)
        continue;
      const part = section('Field ' + name, 'The unknown field over the plane, before its map. Triangles are sensors.');
      const pictures = picturesOf(field), barPlace = element('div'), controls = element('div', {class: 'controls'});
      const places = (report.fit?.places || []).filter((place) => place.length === 2);
      let chosen = 0;
      const showBar = () => barPlace.replaceChildren(colourBar(fieldColours, number(field.low[chosen], 3),
        field.labels[chosen], number(field.high[chosen], 3)));
      part.append(controls);
      const redraw = figure(part, 'Field ' + name, '', () => {
        const holder = part.querySelector('.map .canvas');
        holder.style.height = Math.round(110 + Math.max(holder.clientWidth - 70, 100) *
          Math.min(1.1, Math.max(.2, (field.y[1] - field.y[0]) / (field.x[1] - field.x[0])))) + 'px';
        return {type: 'scatter', data: {datasets: [{label: 'sensor', data: places.map(([x, y]) => ({x, y})),
          pointStyle: 'triangle', pointRadius: 5, backgroundColor: '#e69f00', borderColor: '#000000',
          pointBorderColor: '#000000'}]}, reach: {x: {include: field.x}, y: {include: field.y}},
        options: {parsing: false, scales: {x: axis('x'), y: axis('y')}, plugins: {
          marks: {image: {picture: pictures[chosen], x: field.x, y: field.y}}}}};
      }, 'map');
      part.querySelector('.map').append(barPlace);
      showBar();
      chooser(controls, 'Show', field.labels, (choice) => {
        chosen = choice;
        showBar();
        redraw();
      });
    }
  }

  /** Where the problem is in the plane: sensors, the mean solution, draws of a place. */
  function mapOfPlaces() {
    const data = report.fit, field = report.map;
    const hasPlaces = data && data.compared && data.places.every((place) => place.length === 2);
    if (!hasPlaces)
      return;
    const isPlace = report.scatter && report.scatter.sensors.length > 0 && report.scatter.columns >= 2;
    const part = section('Map', 'Where the sensors are' + (residuals ?
      ', coloured by the largest of their residuals' : '') + (isPlace ?
      '; draws of ' + report.columns[0] + ' and ' + report.columns[1] : '') + (field ?
      '; behind them the mean solution' : '') + '.');
    const sensors = new Map();
    data.places.forEach((place, i) => {
      const key = JSON.stringify(place);
      if (!sensors.has(key))
        sensors.set(key, {x: place[0], y: place[1], residual: null, n: 0});
      const one = sensors.get(key), residual = residuals ? residuals[i] : null;
      ++one.n;
      if (residual !== null && !(Math.abs(one.residual ?? 0) > Math.abs(residual)))
        one.residual = residual;
    });
    const all = [...sensors.values()];
    const largest = 3;
    let chosen = field ? field.times.length - 1 : 0;
    const pictures = field ? picturesOf(field) : [];
    const barPlace = element('div');
    const showBars = () => barPlace.replaceChildren(...[
      field ? colourBar(fieldColours, number(field.low[chosen], 3), 'mean solution' +
        (field.times.length > 1 ? ' at t = ' + number(field.times[chosen], 4) : ''), number(field.high[chosen], 3)) : null,
      residuals ? colourBar(residualColours, '≤ −' + largest, 'residual / deviation', '≥ ' + largest) : null]
      .filter((one) => one));
    const controls = element('div', {class: 'controls'});
    part.append(controls);
    const redraw = figure(part, 'Map', '', () => {
      const datasets = [];
      if (isPlace) {
        const [x, y] = report.scatter.rungs[0], every = Math.ceil(x.length / 1500);
        const some = (values) => values.filter((_, i) => i % every === 0);
        datasets.push({label: 'draws', data: points(some(x), some(y)), pointRadius: 1.5, pointBorderWidth: 0,
          backgroundColor: '#7a017760', borderColor: '#7a0177', borderWidth: 0});
        const truth = report.scatter.truth.filter((state) => state.length > 1);
        if (truth.length)
          datasets.push({label: 'truth', data: truth.map((state) => ({x: state[0], y: state[1]})),
            pointStyle: 'crossRot', pointRadius: 8, pointBorderWidth: 2.5, order: -2,
            borderColor: truthColour, pointBorderColor: truthColour});
      }
      datasets.push({label: 'sensor', data: all, pointStyle: 'triangle', pointRadius: 8, order: -3,
        backgroundColor: all.map((one) => one.residual === null ? '#e69f00' :
          css(mixed(residualColours, .5 + one.residual / (2 * largest)))),
        borderColor: '#000000', pointBorderColor: '#000000', pointBorderWidth: 1.2});
      const reach = {x: {include: field ? field.x : []}, y: {include: field ? field.y : []}};
      const [width, height] = ['x', 'y'].map((id) => {
        const [low, high] = rangeOf(reach[id].include.concat(...datasets.map((one) => one.data.map((point) => point[id]))));
        return high - low || 1;
      });
      // One scale for both directions, but for very long or flat domains.
      const holder = part.querySelector('.map .canvas');
      holder.style.height = Math.round(110 + Math.max(holder.clientWidth - 70, 100) *
        Math.min(1.1, Math.max(.2, height / width))) + 'px';
      return {type: 'scatter', data: {datasets}, reach, options: {parsing: false,
        scales: {x: axis('x'), y: axis('y')}, plugins: {
          marks: field ? {image: {picture: pictures[chosen], x: field.x, y: field.y}} : {},
          tooltip: {mode: 'nearest', intersect: true, callbacks: {label: (item) => item.dataset.label + ': (' +
            number(item.parsed.x, 5) + ', ' + number(item.parsed.y, 5) + ')' + (item.dataset.label === 'sensor' &&
            item.raw.residual !== null ? ', residual ' + number(item.raw.residual, 3) : '')}}}}};
    }, 'map');
    part.querySelector('.map').append(barPlace);
    showBars();
    if (field && field.times.length > 1) {
      chooser(controls, 'Mean solution at t =', field.times.map((time) => number(time, 5)), (choice) => {
        chosen = choice;
        showBars();
        redraw();
      });
      controls.querySelector('select').value = chosen;
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
      options: {indexAxis: 'y', scales: {x: {type: type || 'linear', min: 0, max: 1.04 * rangeOf(values)[1] || 1, title: {display: true, text: xTitle},
        ticks: {maxRotation: 0, maxTicksLimit: 7, includeBounds: false}}, y: {grid: {display: false}}},
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
    for (const make of [table, whatDataTell, unknownFields, clouds, marginals, fit, residualsOfData, mapOfPlaces, fineEnough, networkErrors, traces, energies,
      swaps, mixing, evidence, time, parameters])
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

  /** Whether something that is shown lies beyond the axes of a chart. */
  function isCut(canvas) {
    const chart = Chart.getChart(canvas);
    if (!chart || chart.$isCropped || !['line', 'scatter'].includes(chart.config.type))
      return false;
    return ['x', 'y'].some((id) => {
      const {min, max} = chart.scales[id], slack = 1e-9 * (max - min);
      return chart.data.datasets.some((one, i) => chart.isDatasetVisible(i) && !one.isBackground &&
        one.data.some((point) => point[id] < min - slack || point[id] > max + slack));
    });
  }

  /** Whether an axis with numbers has less than two, or some that touch. */
  function isIllegible(canvas) {
    const chart = Chart.getChart(canvas);
    return Boolean(chart) && Object.values(chart.scales).some((scale) => {
      if (!['linear', 'logarithmic'].includes(scale.type) || !scale.options.ticks.display || !scale.options.display)
        return false;
      const shown = scale.ticks.map((tick, i) => ({text: String(tick.label ?? ''), at: scale.getPixelForTick(i)}))
        .filter(({text}) => text !== '');
      const size = scale.options.ticks.font?.size ?? Chart.defaults.font.size;
      const extent = (text) => scale.isHorizontal() && !scale.labelRotation ? textWidth(text, size) : size;
      const isSlanted = scale.labelRotation % 90 !== 0;
      return shown.length < 2 || shown.some(({text, at}, i) => i > 0 && !isSlanted &&
        Math.abs(at - shown[i - 1].at) < (extent(text) + extent(shown[i - 1].text)) / 2);
    });
  }

  /** What in a corner plot does not line up with the rest of its row or column. */
  function misaligned() {
    const result = [];
    for (const place of document.querySelectorAll('.pairs')) {
      const columns = {}, rows = {};
      const compare = (all, key, values, name) => {
        if (!all[key])
          all[key] = values;
        else if (values.some((value, i) => Math.abs(value - all[key][i]) > (i < 2 ? .6 : 1e-9 * Math.abs(all[key][3] - all[key][2]))))
          result.push(name);
      };
      const n = place.style.gridTemplateRows ? report.scatter.columns : 0;
      [...place.children].forEach((cell, k) => {
        const canvas = cell.querySelector('canvas');
        if (!canvas)
          return;
        const chart = Chart.getChart(canvas), rect = canvas.getBoundingClientRect();
        const {left, right, top, bottom} = chart.chartArea, {x, y} = chart.scales;
        const row = Math.floor(k / n), column = k % n, name = 'row ' + row + ', column ' + column;
        compare(columns, column, [rect.left + left, rect.left + right, x.min, x.max], name);
        compare(rows, row, [rect.top + top, rect.top + bottom, ...(row === column ? [x.min, x.max] : [y.min, y.max])], name);
        if (Math.abs((right - left) - (bottom - top)) > 1)
          result.push(name + ' is not square');
        for (const scale of [row === n - 1 ? x : null, column === 0 && row > 0 ? y : null])
          if (scale && !scale.options.ticks.display)
            result.push(name + ' has no numbers');
      });
    }
    return result;
  }

  // What the tests ask for: report.html#check.
  const finish = () => {
    if (location.hash === '#check') {
      for (const one of planned)
        Chart.getChart(one.canvas)?.resize();
      root.dataset.blank = planned.filter((one) => isBlank(one.canvas)).map((one) => one.title).join('\n');
      const titles = (is) => planned.filter((one) => is(one.canvas)).map((one) => one.title).join('\n');
      root.dataset.cut = titles(isCut);
      root.dataset.illegible = titles(isIllegible);
      root.dataset.misaligned = misaligned().join('\n');
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
