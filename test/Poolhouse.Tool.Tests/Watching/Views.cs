using Poolhouse.Tool.Watch;
using Poolhouse.Tool.Watch.Screens;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>What is seen on the screen as the user presses keys.</summary>
public sealed class Views
{
    private static readonly WatchText _text = new(80, Ascii: true);

    [Fact]
    public void The_selected_pool_stays_selected_when_another_one_is_in_distress()
    {
        var view = new WatchView();
        view.Handle(ConsoleKey.DownArrow, [Calm(1), Calm(2), Calm(3)]);
        view.Handle(ConsoleKey.Enter, [Calm(1), Calm(2), Calm(3)]);
        Assert.Equal(2, view.DetailOf([Full(3), Calm(1), Calm(2)]));
        view.Handle(ConsoleKey.Escape, [Full(3), Calm(1), Calm(2)]);
        Assert.Equal("> ok  pool 2", Shown(view, [Full(3), Calm(1), Calm(2)], 24).Single(IsSelected)[..12]);
    }

    [Fact]
    public void All_pools_are_shown_again_when_the_one_in_detail_is_gone()
    {
        var view = new WatchView();
        view.Handle(ConsoleKey.Enter, [Calm(1), Calm(2)]);
        Assert.Equal(1, view.DetailOf([Calm(1), Calm(2)]));
        Assert.Null(view.DetailOf([Calm(2)]));
        Assert.Equal("> ok  pool 2", Shown(view, [Calm(2)], 24).Single(IsSelected)[..12]);
    }

    [Fact]
    public void Of_many_pools_the_selected_one_is_always_seen_with_all_its_lines()
    {
        var view = new WatchView();
        Diagnosis[] pools = [.. Enumerable.Range(1, 40).Select(id => id % 2 == 0 ? Full(id) : Calm(id))];
        foreach (var key in (ConsoleKey[])[
            .. Enumerable.Repeat(ConsoleKey.DownArrow, 45), .. Enumerable.Repeat(ConsoleKey.UpArrow, 45),
            ConsoleKey.PageDown, ConsoleKey.PageDown, ConsoleKey.PageUp])
        {
            view.Handle(key, pools);
            var lines = Shown(view, pools, 24);
            Assert.Equal(24, lines.Count);
            Assert.Equal("shop", lines[0]);
            var selected = lines.FindIndex(IsSelected);
            Assert.InRange(selected, 1, 22);
            Assert.True(lines[selected].StartsWith("> ok", StringComparison.Ordinal) || selected <= 22 - 5, lines[selected]);
        }

        Assert.Contains(" of ", Shown(view, pools, 24)[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void Details_longer_than_the_screen_are_scrolled_to_their_end_and_back()
    {
        var view = new WatchView();
        Diagnosis[] pools = [Full(1)];
        view.Handle(ConsoleKey.Enter, pools);
        Assert.EndsWith("lines 1-8 of 18", Shown(view, pools, 10)[^1], StringComparison.Ordinal);
        for (var press = 0; press < 3; press++)
        {
            view.Handle(ConsoleKey.PageDown, pools);
        }

        var end = Shown(view, pools, 10);
        Assert.Equal(("No events since the watch began", 10), (end[^2], end.Count));
        view.Handle(ConsoleKey.UpArrow, pools);
        Assert.Equal(end[^3], Shown(view, pools, 10)[^2]);
        Assert.False(view.Handle(ConsoleKey.Q, pools));
    }

    private static bool IsSelected(string line) => line.StartsWith('>');

    private static List<string> Shown(WatchView view, Diagnosis[] pools, int height) =>
        [.. view.Lines("shop", pools, _ => [], _text, height).Select(line => line.Text)];

    private static Diagnosis Calm(int id) => Named(new PoolStory().Works(9).Now, id);

    private static Diagnosis Full(int id) =>
        Named(new PoolStory().Works(20).Then(3, pool => PoolStory.Full(pool, PoolStory.Seconds(41))).Now, id);

    private static Diagnosis Named(Diagnosis now, int id) =>
        now with { Pool = now.Pool with { Id = id, Name = FormattableString.Invariant($"pool {id}") } };
}
