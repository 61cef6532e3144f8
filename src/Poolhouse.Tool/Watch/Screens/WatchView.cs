using System.Globalization;

namespace Poolhouse.Tool.Watch.Screens;

/// <summary>What the keys have chosen on the screen, and the lines that fit it.</summary>
// A pool stays selected when the rows are sorted anew, which may happen under the fingers of the user.
internal sealed class WatchView
{
    private const int FirstAndLast = 2;

    private int? _chosen;
    private bool _isDetailed;
    private int _top;
    private int _room;

    /// <summary>The number of the pool that is shown instead of all; null without one, or if it is gone.</summary>
    public int? DetailOf(IReadOnlyList<Diagnosis> pools) =>
        _isDetailed && pools.Any(each => each.Pool.Id == _chosen) ? _chosen : null;

    /// <returns>False if the user wants to leave.</returns>
    public bool Handle(ConsoleKey key, IReadOnlyList<Diagnosis> pools)
    {
        switch (key)
        {
            case ConsoleKey.Q:
                return false;
            case ConsoleKey.Escape:
                Show(detail: false, pools);
                break;
            case ConsoleKey.Enter:
                Show(!_isDetailed, pools);
                break;
            case ConsoleKey.UpArrow or ConsoleKey.K:
                Move(-1, pools);
                break;
            case ConsoleKey.DownArrow or ConsoleKey.J:
                Move(1, pools);
                break;
            case ConsoleKey.PageUp:
                Move(-Math.Max(1, _room), pools);
                break;
            case ConsoleKey.PageDown:
                Move(Math.Max(1, _room), pools);
                break;
        }

        return true;
    }

    /// <summary>The screen: the title, the lines that fit, and what the keys do.</summary>
    /// <param name="title">The title.</param>
    /// <param name="pools">The pools, the one in the greatest distress first.</param>
    /// <param name="eventsOf">The events of a pool by its name.</param>
    /// <param name="text">Writes the lines.</param>
    /// <param name="height">The number of lines of the screen.</param>
    public IReadOnlyList<ScreenLine> Lines(
        string title, IReadOnlyList<Diagnosis> pools, Func<string, IReadOnlyList<PoolEvent>> eventsOf, WatchText text, int height)
    {
        var selected = SelectedOf(pools);
        _room = Math.Max(1, height - FirstAndLast);
        List<ScreenLine> lines = [];
        _isDetailed = DetailOf(pools) is not null;
        if (_isDetailed)
        {
            lines.AddRange(text.Detail(pools[selected], eventsOf(pools[selected].Pool.Name)));
            _top = Math.Clamp(_top, 0, Math.Max(0, lines.Count - _room));
        }
        else
        {
            lines.AddRange(text.Overview(title, pools, selected).Skip(1));
            ScrollTo(lines.FindIndex(line => line.Tone == Tone.Selected), text.Row(pools, selected).Count(), lines.Count);
        }

        return [text.Line(title, Tone.Title), .. lines.Skip(_top).Take(_room), text.Line(Keys(lines.Count), Tone.Quiet)];
    }

    private int SelectedOf(IReadOnlyList<Diagnosis> pools)
    {
        for (var i = 0; i < pools.Count; i++)
        {
            if (pools[i].Pool.Id == _chosen)
            {
                return i;
            }
        }

        return 0;
    }

    private void Show(bool detail, IReadOnlyList<Diagnosis> pools)
    {
        _isDetailed = detail && pools.Count > 0;
        _top = 0;
        if (_isDetailed)
        {
            _chosen = pools[SelectedOf(pools)].Pool.Id;
        }
    }

    private void Move(int by, IReadOnlyList<Diagnosis> pools)
    {
        if (_isDetailed)
        {
            // Beyond the end, it is corrected when the lines are known.
            _top = Math.Max(0, _top + by);
        }
        else if (pools.Count > 0)
        {
            _chosen = pools[Math.Clamp(SelectedOf(pools) + by, 0, pools.Count - 1)].Pool.Id;
        }
    }

    /// <summary>Shows all lines of the selected row, or as many as fit.</summary>
    private void ScrollTo(int first, int count, int all)
    {
        _top = Math.Max(_top, first + count - _room);
        _top = Math.Min(_top, Math.Max(0, first));
        _top = Math.Clamp(_top, 0, Math.Max(0, all - _room));
    }

    private string Keys(int lines)
    {
        var keys = _isDetailed ? "Up/Down scroll  Esc back  q quit" : "Up/Down select  Enter details  q quit";
        return lines <= _room ? keys : string.Create(
            CultureInfo.InvariantCulture, $"{keys}  lines {_top + 1}-{_top + _room} of {lines}");
    }
}
