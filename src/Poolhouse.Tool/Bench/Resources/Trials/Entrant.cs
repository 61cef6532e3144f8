using Poolhouse.Tool.Bench.Rivals;

namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A pool that takes part in a scenario.</summary>
internal sealed record Entrant(string Rival, Func<Backend, PoolSettings, TimeProvider, TrialPool> Make)
{
    public static Entrant Poolhouse { get; } = new(
        RivalNames.Poolhouse, (backend, settings, time) => new PoolhouseTrialPool(backend, settings, time));

    public static Entrant Channel { get; } = new(
        RivalNames.ChannelPool,
        (backend, settings, time) => new RivalTrialPool(
            new ChannelPool<Session>(settings.MaxSize, RivalTrialPool.ItemsOf(backend, settings, time))));

    public static Entrant HomeMade { get; } = new(
        RivalNames.HomeMadePool,
        (backend, settings, time) => new RivalTrialPool(
            new HomeMadePool<Session>(settings.MaxSize, RivalTrialPool.ItemsOf(backend, settings, time))));

    public static IReadOnlyList<Entrant> All { get; } = [Poolhouse, Channel, HomeMade];
}
