using System.Globalization;
using System.Text;

namespace Poolhouse.Simulation;

/// <summary>The last events, for the report of a failure, and a hash of all events.</summary>
internal sealed class History(SimulatedTime time)
{
    private const int Kept = 60;

    private readonly (long Time, string What, int Who, long Which)[] _last = new (long, string, int, long)[Kept];

    public long Count { get; private set; }

    /// <summary>Equal for two runs with the same events.</summary>
    public ulong Hash { get; private set; } = 14695981039346656037;

    public void Add(string what, int who = 0, long which = 0)
    {
        _last[Count++ % Kept] = (time.Now, what, who, which);
        Mix((ulong)time.Now);
        Mix((ulong)who);
        Mix((ulong)which);
        foreach (var letter in what)
        {
            Mix(letter);
        }
    }

    public string Tell()
    {
        var text = new StringBuilder();
        for (var i = Math.Max(0, Count - Kept); i < Count; i++)
        {
            var (at, what, who, which) = _last[i % Kept];
            text.AppendLine(
                CultureInfo.InvariantCulture, $"  {at / (double)Dice.Millisecond,12:0.0000} ms  {what} {who} {which}");
        }

        return text.ToString();
    }

    // FNV-1a, over words instead of bytes.
    private void Mix(ulong word) => Hash = (Hash ^ word) * 1099511628211;
}
