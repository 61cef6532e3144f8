using System.Data.Common;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>Selects on a connection that stays open: the cost without opening.</summary>
internal sealed class OneConnection(Func<DbDataSource> open, string query, bool isAsynchronous, int calls)
    : SelectContender(RivalNames.OneConnection, open, query, isAsynchronous, calls)
{
    private DbConnection? _connection;

    public override void Start(int workers)
    {
        base.Start(workers);
        _connection = Source!.OpenConnection();
    }

    public override void Stop()
    {
        _connection?.Dispose();
        _connection = null;
        base.Stop();
    }

    protected override void Select(long calls)
    {
        for (var i = 0L; i < calls; i++)
        {
            Statement.Run(_connection!, Query);
        }
    }

    protected override async Task SelectAsync(long calls)
    {
        for (var i = 0L; i < calls; i++)
        {
            await Statement.RunAsync(_connection!, Query, CancellationToken.None).ConfigureAwait(false);
        }
    }
}
