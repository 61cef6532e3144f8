using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections on one of several hosts, each with its own data source.</summary>
internal sealed class ServerSetOpener(ServerSet<DbDataSource> hosts, string pool, DbErrorClassifier errors) : IConnectionOpener
{
    private long _createTimeout;

    public TimeSpan CreateTimeout
    {
        private get => TimeSpan.FromTicks(Volatile.Read(ref _createTimeout));
        set => Volatile.Write(ref _createTimeout, value.Ticks);
    }

    public async ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken)
    {
        try
        {
            var item = await hosts.CreateAsync(
                static (source, token) => OpenedConnection.FromAsync(source, token), CreateTimeout, cancellationToken)
                    .ConfigureAwait(false);
            return item.Value with { Origin = item };
        }
        catch (NoServerAvailableException failure)
        {
            throw new DbPoolException(failure, pool, isTransient: !failure.Failures.All(errors.IsPermanent));
        }
    }

    public OpenedConnection Open(CancellationToken cancellationToken)
    {
        try
        {
            var item = hosts.Create(static (source, _) => OpenedConnection.From(source), CreateTimeout, cancellationToken);
            return item.Value with { Origin = item };
        }
        catch (NoServerAvailableException failure)
        {
            throw new DbPoolException(failure, pool, isTransient: !failure.Failures.All(errors.IsPermanent));
        }
    }

    public bool IsExpired(object origin) => Of(origin).ShouldFailBack();

    public object? TypesOf(object? origin) => TypeReload.KeeperOf(Of(origin!).Server);

    public object? HostOf(object? origin) => Of(origin!).Server;

    public void OnClosed(object origin) => Of(origin).Detach();

    public void OnFatalError(object origin, Exception exception) => Of(origin).ReportFailure(exception);

    private static ServerItem<DbDataSource, OpenedConnection> Of(object origin) =>
        (ServerItem<DbDataSource, OpenedConnection>)origin;
}
