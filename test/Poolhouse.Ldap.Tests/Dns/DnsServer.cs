using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Dns;

/// <summary>A real name server for the domain <c>example.test</c>, on port 53 of a network of the test's own.</summary>
internal sealed class DnsServer : IAsyncDisposable
{
    /// <summary>A domain whose record states that it has no such service.</summary>
    public const string DomainWithoutService = "decided.test";

    /// <summary>A domain whose name for the records of its servers has others.</summary>
    public const string DomainWithOtherRecords = "texts.test";

    private const string Program = "dnsmasq";
    private const int Port = 53;

    private readonly ServerFolder _folder = ServerFolder.Create();
    private ServerProcess? _process;

    /// <summary>Whether this machine can run one.</summary>
    /// <param name="reason">Why not, for people.</param>
    public static bool TryFind(out string reason)
    {
        reason = ServerPrograms.Find(Program) is null ? "no dnsmasq in PATH or the usual places (dnsmasq-base on Debian)" : "";
        return reason.Length == 0;
    }

    /// <summary>How often the servers of the domain were queried.</summary>
    public int Queries => _folder.ReadShared(ServerProcess.LogName).Split('\n')
        .Count(static line => line.Contains("query[SRV] _ldap._tcp.example.test ", StringComparison.Ordinal));

    /// <summary>Starts it, or starts it again with other records.</summary>
    /// <param name="records">
    /// Names below the domain, with port and priority. None: the domain does not exist; else every name below it does.
    /// </param>
    public async Task ServeAsync(params (string Name, int Port, int Priority)[] records)
    {
        await StopAsync();
        IEnumerable<string> lines =
        [
            "no-hosts",
            "no-resolv",
            "bind-interfaces",
            "listen-address=127.0.0.1",
            "log-queries",
            "local=/test/",
            $"srv-host=_ldap._tcp.{DomainWithoutService}",
            $"txt-record=_ldap._tcp.{DomainWithOtherRecords},other",
            .. records.Select(
                record => string.Create(
                    CultureInfo.InvariantCulture,
                    $"srv-host=_ldap._tcp.example.test,{record.Name}.example.test,{record.Port},{record.Priority}")),
            .. records.Length == 0 ? (IEnumerable<string>)[] : ["address=/example.test/127.0.0.1"],
        ];
        var configuration = _folder.At("dnsmasq.conf");
        await File.WriteAllLinesAsync(configuration, lines, TestContext.Current.CancellationToken);

        // In the foreground, as the current account: in a user namespace there may be no other.
        _process = ServerProcess.Start(_folder, [ServerPrograms.Find(Program)!, "--no-daemon", $"--conf-file={configuration}"]);
        await _process.WaitUntilAsync(Listens, TestContext.Current.CancellationToken);
    }

    public async Task StopAsync()
    {
        if (_process is not null)
        {
            await _process.StopAsync("TERM");
            _process.Dispose();
            _process = null;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _folder.Dispose();
    }

    private static bool Listens()
    {
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            probe.Connect(IPAddress.Loopback, Port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
