namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A trial in progress: a pool, its backend, its callers, and the journal.</summary>
internal sealed class RunningTrial : Callers, IAsyncDisposable
{
    private readonly CancellationToken _cancellation;

    public RunningTrial(
        Entrant entrant,
        PoolSettings settings,
        TimeSpan openTime,
        TimeSpan workTime,
        TimeProvider time,
        CancellationToken cancellation)
        : base(time, cancellation)
    {
        _cancellation = cancellation;
        Backend = new Backend(time, Journal, openTime, workTime);
        Pool = entrant.Make(Backend, settings, time);
    }

    public Backend Backend { get; }

    public TrialPool Pool { get; }

    public ValueTask DisposeAsync() => Pool.DisposeAsync();

    protected override Task UseAsync(Action served, TimeSpan patience, CancellationToken giveUp) => Pool.UseAsync(
        session =>
        {
            served();
            return Backend.WorkAsync(session, _cancellation);
        },
        patience,
        giveUp);

    protected override bool IsExpectedFailure(Exception exception) =>
        exception is IPoolException or BackendException or TimeoutException or OperationCanceledException;
}
