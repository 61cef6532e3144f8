namespace Poolhouse.Tool.Bench.Report;

/// <summary>How the page looks. Free of the characters that XML would escape.</summary>
internal static class PageStyle
{
    public const string Text = """
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1rem; max-width: 1240px; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        h1 { margin: .5rem 0; font-size: 1.7rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.3rem; }
        h3 { margin: 1.5rem 0 .25rem; font-size: 1.05rem; }
        p { max-width: 75ch; margin: .5rem 0; } a { color: var(--c0); }
        .caption, .method, footer { color: var(--soft); font-size: .875rem; }
        nav { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; overflow-x: auto; padding: .5rem 0;
          background: var(--paper); border-bottom: 1px solid var(--grid); font-size: .85rem; white-space: nowrap; }
        section { scroll-margin-top: 3rem; } dt { font-weight: 600; } dd { margin: 0 0 .5rem; max-width: 75ch; }
        .verdict { font-size: 1.05rem; font-weight: 600; }
        .verdicts { list-style: none; padding: 0; } .verdicts li { margin: .35rem 0; }
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
        section > .scroll td:first-child, section > details td:first-child { min-width: 12rem; }
        @media (max-width: 480px) { body { padding: .6rem; } figure { padding: .5rem; } }
        footer { margin-top: 3rem; border-top: 1px solid var(--grid); padding-top: 1rem; }

        """;
}
