using System.Globalization;

namespace Poolhouse.Samples.ScriptWorkers;

/// <summary>
/// An interpreter like those that are embedded from C: it belongs to the thread that created it, and keeps the variables of
/// scripts. A script is a list of sums, <c>x = rate + 1; x + x</c>; the last one is its result.
/// </summary>
internal sealed class Interpreter : IDisposable
{
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly Dictionary<string, int> _variables = new(StringComparer.Ordinal);
    private readonly Library _library;

    public Interpreter(Library library)
    {
        _library = library;
        Reload();
    }

    /// <summary>How many names scripts have left behind.</summary>
    public int Names
    {
        get
        {
            CheckThread();
            return _variables.Count - 1;
        }
    }

    /// <exception cref="FormatException">A line is no sum, or a name is not known.</exception>
    public int Run(string script)
    {
        CheckThread();
        var result = 0;
        foreach (var line in script.Split(';'))
        {
            result = RunLine(line.Trim());
        }

        return result;
    }

    public void Reload()
    {
        CheckThread();
        _variables["rate"] = _library.Rate;
    }

    public void Dispose() => CheckThread();

    private int RunLine(string line)
    {
        if (line.Equals("wait", StringComparison.Ordinal))
        {
            _library.Door.Wait();
            return 0;
        }

        var parts = line.Split('=');
        var sum = parts[^1].Split('+').Sum(term => ValueOf(term.Trim()));
        if (parts.Length > 1)
        {
            _variables[parts[0].Trim()] = sum;
        }

        return sum;
    }

    private int ValueOf(string term) =>
        _variables.TryGetValue(term, out var value) ? value
        : int.TryParse(term, CultureInfo.InvariantCulture, out var number) ? number
        : throw new FormatException($"'{term}' is not known.");

    private void CheckThread()
    {
        if (Environment.CurrentManagedThreadId != _thread)
        {
            throw new InvalidOperationException("An interpreter belongs to the thread that created it.");
        }
    }
}
