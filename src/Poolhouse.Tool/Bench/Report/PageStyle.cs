namespace Poolhouse.Tool.Bench.Report;

/// <summary>How the page looks. Free of the characters that XML would escape.</summary>
internal static class PageStyle
{
    public const string Text = """
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1rem; max-width: 1240px; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        h1 { margin: .5rem 0; font-size: 1.7rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.3rem; }
        h4 { margin: 1.5rem 0 .25rem; font-size: 1.05rem; }
        p { max-width: 75ch; margin: .5rem 0; } a { color: var(--c0); }
        .caption, .method, footer { color: var(--soft); font-size: .875rem; }
        dt { font-weight: 600; } dd { margin: 0 0 .5rem; max-width: 75ch; }
        .picture { margin: 1rem 0 2rem; } .picture h2 { margin: .7rem 0 .15rem; font-size: 1rem; }
        .picture ul { list-style: none; margin: 0; padding: 0; }
        .picture li, .scale { display: grid; grid-template-columns: minmax(10rem, 19rem) minmax(0, 1fr) 6.5rem; gap: 0 1rem;
          align-items: center; }
        .picture li { border-top: 1px solid var(--grid); } .picture li a { font-size: .85rem; line-height: 1.2; text-decoration: none; }
        .picture .badge { justify-self: start; font-size: .75rem; }
        .scale { font-size: .7rem; color: var(--soft); } .scale div { position: relative; height: 1.1rem; }
        .scale div span { position: absolute; transform: translateX(-50%); } .scale div span:first-child { transform: none; }
        .bars { padding: 2px 0; background: linear-gradient(90deg, var(--grid) 1px, transparent 1px) 0 0 / var(--decade) 100%
          repeat-x; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
        .bars div { display: flex; align-items: center; gap: .4rem; height: 11px; }
        .bars i { height: 8px; border-radius: 0 2px 2px 0; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
        .bars span { font-size: 10.5px; line-height: 11px; color: var(--soft); white-space: nowrap; background: var(--paper);
          padding-right: .3rem; }
        .bars div:first-child span { color: var(--ink); font-weight: 600; }
        .b0 { background: var(--c0); } .b1 { background: var(--c1); } .b2 { background: var(--c2); } .b3 { background: var(--c3); }
        .b4 { background: var(--c4); }
        .group h2 { margin-top: 1.5rem; }
        .study { border-top: 1px solid var(--grid); padding: .4rem 0; font-size: inherit; }
        .what { color: var(--ink); } .what h2, .what h3 { display: inline; font-size: 1rem; margin: 0; }
        .what p { margin: .1rem 0 .1rem 1.1rem; font-size: .9rem; color: var(--soft); }
        .study[open] { padding-bottom: 1.5rem; }
        .badge { display: inline-block; padding: 0 .55em; border-radius: .8em; border: 1.5px solid currentColor;
          font-size: .82rem; font-weight: 600; white-space: nowrap; }
        .badge.yes { color: var(--good); } .badge.no { color: var(--bad); } .badge.some { color: var(--soft); }
        .warning { color: var(--bad); font-weight: 600; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .5rem 0;
          font-size: .9rem; }
        .legend li { display: flex; align-items: center; gap: .4rem; }
        .chart { display: block; width: 100%; height: auto; } .chart.key { width: 14px; height: 14px; }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 1rem;
          align-items: start; }
        .charts.pairs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 480px)); max-width: 1000px; }
        .charts.single { grid-template-columns: minmax(0, 560px); }
        figure { margin: 0; padding: .9rem; background: var(--panel); border-radius: 8px; min-width: 0; max-width: 560px; }
        details { font-size: .85rem; } summary { cursor: pointer; color: var(--soft); }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
        table caption { text-align: left; color: var(--soft); padding: .3rem 0; }
        th, td { padding: .25rem .7rem .25rem 0; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; white-space: normal; }
        .scroll td:first-child { min-width: 12rem; }
        @media (max-width: 640px) { body { padding: .6rem; } figure { padding: .5rem; } h1 { font-size: 1.3rem; } }
        .picture { container-type: inline-size; }
        @container (max-width: 600px) { .picture li { grid-template-columns: minmax(0, 1fr) auto; padding: .2rem 0; }
          .picture .bars { grid-column: 1 / 3; grid-row: 2; } .scale { display: block; } }
        @media print { body { max-width: none; font-size: 11pt; } .picture li, .study, figure { break-inside: avoid; }
          .scale, .picture { font-size: 9pt; } a { color: inherit; text-decoration: none; } }
        footer { margin-top: 3rem; border-top: 1px solid var(--grid); padding-top: 1rem; }

        """;
}
