using System.Globalization;

namespace Poolhouse.Explorer.Scheduling;

/// <summary>
/// The actor that continued at each step where several could: by number, with repetition counts: <c>0*12 2 1*3</c>.
/// </summary>
internal sealed class Schedule(IEnumerable<int> actors)
{
    public IReadOnlyList<int> Actors { get; } = [.. actors];

    public static Schedule Parse(string text) =>
        new(text.Split(' ', StringSplitOptions.RemoveEmptyEntries).SelectMany(static run =>
        {
            var parts = run.Split('*');
            var times = parts.Length > 1 ? int.Parse(parts[1], CultureInfo.InvariantCulture) : 1;
            return Enumerable.Repeat(int.Parse(parts[0], CultureInfo.InvariantCulture), times);
        }));

    public override string ToString()
    {
        var runs = new List<(int Actor, int Times)>();
        foreach (var actor in Actors)
        {
            if (runs.Count > 0 && runs[^1].Actor == actor)
            {
                runs[^1] = (actor, runs[^1].Times + 1);
            }
            else
            {
                runs.Add((actor, 1));
            }
        }

        return string.Join(' ', runs.Select(run =>
            Text(run.Actor) + (run.Times > 1 ? "*" + Text(run.Times) : "")));

        static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
    }
}
