using System.Globalization;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Watch.Screens;

/// <summary>Shows a model: as JSON, as text that goes on, or on a screen with a selected pool.</summary>
internal sealed class WatchOutput(IAnsiConsole console, WatchRequest request)
{
    private const string Home = "\e[H";
    private const string ClearLine = "\e[K";
    private const string ClearBelow = "\e[J";
    private const string EnterScreen = "\e[?1049h\e[?25l";
    private const string LeaveScreen = "\e[?25h\e[?1049l";

    private static readonly TimeSpan _keyInterval = TimeSpan.FromMilliseconds(50);

    private readonly WatchView _view = new();
    private bool _isOnScreen;

    /// <summary>Whether a screen is shown that keys control.</summary>
    public bool IsInteractive { get; } = !request.Once && !request.Json && !request.Plain && console.Profile.Out.IsTerminal
        && console.Profile.Capabilities.Ansi && !Console.IsInputRedirected;

    public void Show(string title, WatchModel model)
    {
        if (request.Json)
        {
            WriteRaw(WatchJson.Write(title, model.Time, model.Version, model.Diagnose()));
        }
        else if (IsInteractive)
        {
            Draw(title, model);
        }
        else
        {
            Print(Text(console.Profile.Width).Overview(TitleOf(title, model), model.Diagnose()));
            if (!request.Once)
            {
                console.WriteLine();
            }
        }
    }

    /// <summary>Shows each pool at its worst moment.</summary>
    public void ShowWorst(string title, WatchModel model)
    {
        var worst = model.DiagnoseWorst();
        if (request.Json)
        {
            WriteRaw(WatchJson.Write(title, model.Time, model.Version, worst));
            return;
        }

        var text = Text(console.Profile.Width);
        Print(text.Overview(title, []).Take(1));
        foreach (var diagnosis in worst)
        {
            Print([new ScreenLine(diagnosis.Pool.Time.ToString("HH:mm:ss 'UTC'", CultureInfo.InvariantCulture), Tone.Quiet)]);
            Print(diagnosis.Rule == Rule.None
                ? text.Overview("", [diagnosis]).Skip(1)
                : text.Detail(diagnosis, model.EventsOf(diagnosis.Pool.Name)));
        }
    }

    public void Say(string message)
    {
        if (request.Json)
        {
            return;
        }

        console.WriteParagraph(Printable.Of(message));
    }

    /// <summary>Waits for the next picture, and handles keys meanwhile.</summary>
    /// <returns>False if the user wants to leave.</returns>
    public async Task<bool> WaitAsync(
        string title, WatchModel model, int pictures, Task ended, CancellationToken cancellation)
    {
        if (!IsInteractive)
        {
            var changed = model.WhenChangedAsync();
            if (model.Pictures == pictures)
            {
                await Task.WhenAny(changed, ended).WaitAsync(cancellation).ConfigureAwait(false);
            }

            return true;
        }

        while (model.Pictures == pictures && !ended.IsCompleted)
        {
            await Task.Delay(_keyInterval, TimeProvider.System, cancellation).ConfigureAwait(false);
            var detail = DetailOf(model);
            while (Console.KeyAvailable)
            {
                if (!_view.Handle(Console.ReadKey(intercept: true).Key, model.Diagnose()))
                {
                    return false;
                }

                Draw(title, model);
            }

            if (DetailOf(model) != detail)
            {
                return true;
            }
        }

        return true;
    }

    /// <summary>The number of the pool that the user looks at; null without one.</summary>
    public int? DetailOf(WatchModel model) => _view.DetailOf(model.Diagnose());

    /// <summary>Leaves the screen, so that what was there before is seen again.</summary>
    public void Leave()
    {
        if (_isOnScreen)
        {
            _isOnScreen = false;
            WriteControl(LeaveScreen);
        }
    }

    private static string TitleOf(string title, WatchModel model) => string.Create(
        CultureInfo.InvariantCulture,
        $"{title}  {model.Time.ToLocalTime():HH:mm:ss}{(model.Version.Length > 0 ? $"  Poolhouse {model.Version}" : "")}");

    private static Style StyleOf(Tone tone) => tone switch
    {
        Tone.Quiet => new Style(Color.Grey),
        Tone.Title => new Style(decoration: Decoration.Bold),
        Tone.Good => new Style(Color.Green),
        Tone.Warning => new Style(Color.Yellow),
        Tone.Bad => new Style(Color.Red),
        Tone.Selected => new Style(decoration: Decoration.Invert),
        _ => Style.Plain,
    };

    private void Draw(string title, WatchModel model)
    {
        if (!_isOnScreen)
        {
            _isOnScreen = true;
            WriteControl(EnterScreen);
        }

        // In one piece, so that no half of a picture is seen. A line is cleared before it is written: afterwards, the last letter
        // of one that fills the screen would be cleared too.
        var lines = _view.Lines(
            TitleOf(title, model), model.Diagnose(), model.EventsOf, Text(console.Profile.Width), console.Profile.Height);
        WriteControl(Home + string.Join("\r\n", lines.Select(
            line => ClearLine + console.ToAnsi(new Text(line.Text, StyleOf(line.Tone))))) + ClearBelow);
    }

    private WatchText Text(int width) => new(Math.Max(40, width), !console.Profile.Capabilities.Unicode);

    private void Print(IEnumerable<ScreenLine> lines)
    {
        foreach (var line in lines)
        {
            console.Write(new Text(line.Text, StyleOf(line.Tone)));
            console.WriteLine();
        }
    }

    private void WriteControl(string sequence) => console.Profile.Out.Writer.Write(sequence);

    private void WriteRaw(string line) => console.Profile.Out.Writer.WriteLine(line);
}
