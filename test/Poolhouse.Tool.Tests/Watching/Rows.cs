using Poolhouse.Tool.Watch;
using Poolhouse.Tool.Watch.Screens;
using Spectre.Console;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>What is shown of the pools.</summary>
public sealed class Rows
{
    private static readonly Diagnosis _full = new PoolStory().Works(20)
        .Then(3, pool => PoolStory.Full(pool, PoolStory.Seconds(41)) with
        {
            UseHistogram = new Dictionary<int, long> { [16] = 3, [23] = 12 },
        }).Now;

    [Fact]
    public void A_row_has_the_verdict_the_holders_the_change_the_next_action_and_its_address() => Assert.Equal(
        [
            "shop (42)",
            "  SATURATED 2 s  orders",
            "    5 wait, oldest 38 ms; 8/8 held, 6 by GET /orders, oldest 41 s",
            "    uses got slower: in progress for 41 s, usually 10 ms; 70 rents/s",
            "    → Look at what GET /orders waits for while it holds an item: a lock, a slow",
            "    query, another server. A larger pool would not help.",
            _full.Url!.Split('#')[0],
            "#saturated-by-slow-uses",
            "> ok  orders                2/8 held; uses take 10 ms; 100 rents/s",
        ],
        new WatchText(80, Ascii: false).Overview("shop (42)", [_full, new PoolStory().Works(9).Now], selected: 1)
            .Select(line => line.Text));

    [Theory]
    [InlineData(40, false)]
    [InlineData(80, true)]
    [InlineData(200, false)]
    [InlineData(200, true)]
    public void Every_line_fits_the_width(int width, bool ascii)
    {
        var text = new WatchText(width, ascii);
        var now = _full with { Pool = _full.Pool with { Name = new string('é', 150) + new string('池', 100) + "\e[31m" } };
        PoolEvent[] events = [new(now.Pool.Time, now.Pool.Name, "WaitFailed", "Return, after 10 s\r\nµ")];
        var lines = text.Overview("shop", [now, new PoolStory().Works(9).Now]).Concat(text.Detail(now, events)).ToList();

        Assert.All(lines, line => Assert.InRange(line.Text.GetCellWidth(), 0, width));
        Assert.All(lines, line => Assert.DoesNotContain(line.Text, char.IsControl));
        Assert.True(!ascii || lines.TrueForAll(line => line.Text.All(char.IsAscii)));
    }

    [Fact]
    public void A_selected_pool_shows_its_leases_histograms_and_events()
    {
        PoolEvent[] events = [new(_full.Pool.Time, "orders", "LeakSuspected", "item 3, leased for 61 s by GET /orders")];
        var shown = string.Join('\n', new WatchText(80, Ascii: true).Detail(_full, events).Select(line => line.Text));

        Assert.Contains("      41 s  item 1  GET /orders", shown, StringComparison.Ordinal);
        Assert.Contains("  below  13.1 ms           3  ########\n", shown, StringComparison.Ordinal);
        Assert.Contains("  below    1.7 s          12  " + new string('#', 30), shown, StringComparison.Ordinal);
        Assert.Contains("LeakSuspected  item 3, leased for 61 s by GET /orders", shown, StringComparison.Ordinal);
    }

    [Fact]
    public void Many_events_of_one_kind_do_not_hide_how_it_began()
    {
        PoolEvent[] events =
        [
            new(_full.Pool.Time, "orders", "OutageBegan", "System.IO.IOException"),
            .. Enumerable.Range(1, 30).Select(waited => new PoolEvent(
                _full.Pool.Time, "orders", "WaitFailed", FormattableString.Invariant($"Outage, after {waited} s"))),
        ];
        var shown = string.Join('\n', new WatchText(80, Ascii: true).Detail(_full, events).Select(line => line.Text));
        Assert.Contains("OutageBegan  System.IO.IOException\n", shown, StringComparison.Ordinal);
        Assert.EndsWith("WaitFailed (30 times)  Outage, after 30 s", shown, StringComparison.Ordinal);
    }

    [Fact]
    public void What_a_selected_pool_does_not_have_has_no_heading()
    {
        var calm = new PoolStory().Works(1).Then(1, pool => pool with { Leased = 0, OldestLeases = [], Holders = [] }).Now;
        var shown = new WatchText(80, Ascii: true).Detail(calm, []).Select(line => line.Text).ToList();
        Assert.DoesNotContain("Oldest leases", shown);
        Assert.Equal("No events since the watch began", shown[^1]);
    }

    [Fact]
    public void A_selected_pool_shows_its_servers()
    {
        var now = _full with
        {
            Pool = _full.Pool with
            {
                Servers =
                [
                    new PoolServer(
                        "db1:5432", ServerHealth.Avoided, ServerRole.Unknown, 0, 3, TimeSpan.FromSeconds(94),
                        TimeSpan.FromSeconds(2), "System.IO.IOException"),
                    new PoolServer(
                        "db2:5432", ServerHealth.Up, ServerRole.Primary, 8, 0, TimeSpan.Zero, TimeSpan.Zero, ""),
                ],
            },
        };
        var shown = string.Join('\n', new WatchText(80, Ascii: true).Detail(now, []).Select(line => line.Text));

        Assert.Contains(
            """
            Servers
                db1:5432, 0 items, DOWN 94 s: System.IO.IOException, next attempt in 2 s
                db2:5432, primary, 8 items, up

            """, shown, StringComparison.Ordinal);
    }
}
