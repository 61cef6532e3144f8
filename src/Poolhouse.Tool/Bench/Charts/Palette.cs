namespace Poolhouse.Tool.Bench.Charts;

/// <summary>The colours: those of Okabe and Ito, which colour-blind readers can distinguish, darkened or lightened until text in
/// them reads.</summary>
internal static class Palette
{
    /// <summary>The number of colours.</summary>
    public const int Count = 5;

    /// <summary>The variables, for light and for dark.</summary>
    public const string Variables = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f23; --soft: #59616b; --grid: #e3e6ea;
          --axis: #8b939e; --panel: #f6f7f9;
          --c0: #0069a8; --c1: #b34a00; --c2: #00735a; --c3: #6a6f76; --c4: #964078; --good: #00735a; --bad: #b3261e; }
        @media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e7eaee; --soft: #a2abb6; --grid: #2c3138;
          --axis: #67707b; --panel: #1c2026;
          --c0: #5bb8f0; --c1: #f29354; --c2: #45c9a0; --c3: #b0b5bc; --c4: #e39ac4; --good: #45c9a0; --bad: #ff8a80; } }

        """;

    /// <summary>The styles of the classes that the charts use.</summary>
    public const string ChartStyle = """
        .chart { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; }
        .chart text { fill: var(--soft); }
        .chart .head { fill: var(--ink); font-size: 13.5px; font-weight: 600; }
        .chart .name { fill: var(--ink); }
        .chart .grid { stroke: var(--grid); stroke-width: 1; }
        .chart .axis { stroke: var(--axis); stroke-width: 1; }
        .chart .band { fill: var(--grid); opacity: .7; }
        .chart .event { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
        .chart .base { stroke: var(--c3); stroke-width: 2; stroke-dasharray: 5 4; }
        .chart .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
        .chart .line.c0 { stroke: var(--c0); stroke-width: 3; } .chart .line.c1 { stroke: var(--c1); }
        .chart .line.c2 { stroke: var(--c2); } .chart .line.c3 { stroke: var(--c3); }
        .chart .line.c4 { stroke: var(--c4); }
        .chart .spread { stroke-width: 1; opacity: .55; }
        .chart .spread.c0 { stroke: var(--c0); } .chart .spread.c1 { stroke: var(--c1); } .chart .spread.c2 { stroke: var(--c2); }
        .chart .spread.c3 { stroke: var(--c3); } .chart .spread.c4 { stroke: var(--c4); }
        .chart .fill.c0 { fill: var(--c0); } .chart .fill.c1 { fill: var(--c1); } .chart .fill.c2 { fill: var(--c2); }
        .chart .fill.c3 { fill: var(--c3); } .chart .fill.c4 { fill: var(--c4); }
        .chart .tag { font-weight: 600; }
        .chart .tag.c0 { fill: var(--c0); } .chart .tag.c1 { fill: var(--c1); } .chart .tag.c2 { fill: var(--c2); }
        .chart .tag.c3 { fill: var(--c3); } .chart .tag.c4 { fill: var(--c4); }

        """;
}
