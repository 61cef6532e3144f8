using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>A scenario on a real database.</summary>
internal abstract class DatabaseScenario(DatabaseKind kind) : Scenario
{
    private static int _tags;

    public override string Group => Catalog.DatabaseGroup;

    public override DatabaseKind? Needs => kind;

    protected DatabaseKind Kind => kind;

    /// <summary>A name for the connections of one trial, unlike those of any other.</summary>
    protected static string NewTag(string what) => $"poolhouse {what} {Units.Count(Interlocked.Increment(ref _tags))}";
}
