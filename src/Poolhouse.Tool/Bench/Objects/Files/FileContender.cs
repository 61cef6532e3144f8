using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Reads all files in each round; the workers take the next one as they get free.</summary>
internal sealed class FileContender<TKit>(
    string rival, FileSet files, Func<int, (TKit Kit, IDisposable[] Pools)> setUp) : Contender(rival)
    where TKit : struct, IFileKit
{
    private TKit _kit;
    private IDisposable[] _pools = [];
    private int _next;
    private long _sum;

    /// <summary>The words and hashes of the last round, mixed.</summary>
    public override long Sum => _sum;

    public override long? FixedCalls => 1;

    public override long InputBytes => files.Bytes;

    public override void Start(int workers) => (_kit, _pools) = setUp(workers);

    public override void BeforeRound()
    {
        _next = 0;
        _sum = 0;
    }

    public override void Work(int worker, long calls)
    {
        var sum = 0L;
        for (var i = Interlocked.Increment(ref _next); i <= files.Paths.Count; i = Interlocked.Increment(ref _next))
        {
            sum += FileReader.Read(_kit, files.Paths[i - 1]);
        }

        Interlocked.Add(ref _sum, sum);
    }

    public override long OperationsIn(long calls) => files.Paths.Count;

    public override void Stop()
    {
        foreach (var pool in _pools)
        {
            pool.Dispose();
        }

        _pools = [];
    }
}
