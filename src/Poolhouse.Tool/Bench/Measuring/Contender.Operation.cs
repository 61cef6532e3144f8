namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>A rival whose use is a struct operation.</summary>
internal sealed class Contender<TOperation>(string rival, Func<int, PoolSetup<TOperation>> setUp) : Contender(rival)
    where TOperation : struct, IOperation
{
    private readonly Lock _gate = new();
    private PoolSetup<TOperation>? _setup;
    private TOperation[] _operations = [];
    private long _sum;

    public override long Sum => _sum;

    /// <summary>Calls a worker makes in a round; null: as many as fill it.</summary>
    public long? CallsPerRound { get; init; }

    public override long? FixedCalls => CallsPerRound;

    public override void Start(int workers)
    {
        _setup = setUp(workers);
        _operations = [.. Enumerable.Range(0, workers).Select(_setup.Make)];
    }

    public override void Work(int worker, long calls)
    {
        // A copy on the worker's own stack: neighbours in the array would share cache lines.
        var operation = _operations[worker];
        var batch = Batch.CallsOf(operation.Operations);
        var sum = 0L;
        for (var left = calls; left > 0; left -= batch)
        {
            sum += Batch.Run(ref operation, Math.Min(batch, left));
        }

        lock (_gate)
        {
            _sum += sum;
        }
    }

    public override long OperationsIn(long calls) => _operations.Sum(operation => operation.Operations * calls);

    public override void Stop()
    {
        _setup?.Owner?.Dispose();
        _setup = null;
        _operations = [];
    }
}
