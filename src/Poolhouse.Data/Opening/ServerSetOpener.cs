using System.Data.Common;
using System.Runtime.CompilerServices;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections on one of several hosts, each with its own data source.</summary>
/// <param name="hosts">The hosts.</param>
/// <param name="options">The settings of the pool.</param>
/// <param name="owned">The data sources that belong to the pool.</param>
internal sealed class ServerSetOpener(ServerSet<DbDataSource> hosts, DbPoolOptions options, IReadOnlyList<DbDataSource> owned)
    : IHostOpener
{
    private readonly ConditionalWeakTable<DbDataSource, string> _names = [];

    public DbPoolOptions Options { private get; set; } = options;

    public async ValueTask<OpenedConnection> OpenAsync(
        Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken)
    {
        try
        {
            var item = await hosts.CreateAsync(
                (host, token) => OpenAsync(sourceOf(host), token), Options.Pool.CreateTimeout, Options.RequiredRole,
                static opened => opened.Role, cancellationToken).ConfigureAwait(false);
            return item.Value with { Origin = item };
        }
        catch (NoServerAvailableException failure)
        {
            throw Unavailable(failure);
        }
    }

    public OpenedConnection Open(Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken)
    {
        try
        {
            var item = hosts.Create(
                (host, token) => Open(sourceOf(host), token), Options.Pool.CreateTimeout, Options.RequiredRole,
                static opened => opened.Role, cancellationToken);
            return item.Value with { Origin = item };
        }
        catch (NoServerAvailableException failure)
        {
            throw Unavailable(failure);
        }
    }

    private async ValueTask<OpenedConnection> OpenAsync(DbDataSource source, CancellationToken cancellationToken) =>
        await WithRoleAsync(
            await OpenedConnection.FromAsync(source, cancellationToken).ConfigureAwait(false), cancellationToken)
                .ConfigureAwait(false);

#pragma warning disable VSTHRD002, CA2012 // On a dedicated thread, created for this one creation.
    private OpenedConnection Open(DbDataSource source, CancellationToken cancellationToken) =>
        WithRoleAsync(OpenedConnection.From(source), cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012

    private async ValueTask<OpenedConnection> WithRoleAsync(OpenedConnection opened, CancellationToken cancellationToken)
    {
        try
        {
            return await opened.WithRoleAsync(Options, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await opened.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private DbPoolException Unavailable(NoServerAvailableException failure) =>
        new(failure, Options.Pool.Name!, isTransient: !failure.Failures.All(Options.Errors.IsPermanent));

    public bool IsExpired(object? origin) => Of(origin).ShouldFailBack();

    public object? TypesOf(object? origin) => TypeReload.KeeperOf(Of(origin).Server);

    public object? HostOf(object? origin) => Of(origin).Server;

    public IReadOnlyList<ServerStatistics<string>> GetHosts() =>
        hosts.GetStatistics(source => _names.GetValue(source, HostName.Of));

    public void OnClosed(object? origin) => Of(origin).Detach();

    public void OnFatalError(object? origin, Exception exception) => Of(origin).ReportFailure(exception);

    public void OnRoleLost(object? origin) => Of(origin).ReportRoleLost();

    public void Release()
    {
        foreach (var source in owned)
        {
            source.Dispose();
        }
    }

    private static ServerItem<DbDataSource, OpenedConnection> Of(object? origin) =>
        (ServerItem<DbDataSource, OpenedConnection>)origin!;
}
