using Poolhouse.Tool.Experiments.Files;

namespace Poolhouse.Tool.Experiments;

/// <summary>All experiments, in the order in which they run.</summary>
internal static class Catalog
{
    public const string Everything = "all";

    public static IReadOnlyList<Experiment> All { get; } =
        [new ThreadScaling(), new RentalMatrix(), new ListSizes(), new ArraySizes(), new ArrayDepth(), new FileReading()];

    /// <summary>What the command line accepts: the groups, and all.</summary>
    public static IReadOnlyList<string> Choices { get; } = [.. All.Select(experiment => experiment.Group).Distinct(), Everything];

    public static IReadOnlyList<Experiment> Select(string choice) =>
        [.. All.Where(experiment => choice == Everything || experiment.Group == choice)];
}
