using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Poolhouse.Tool.Servers;

namespace Poolhouse.RabbitMq.Tests.Servers;

/// <summary>A RabbitMQ server of our own: new, empty, on free ports of 127.0.0.1, with a port mapper (epmd) of its own.</summary>
/// <remarks>
/// Disposal stops both and removes their folders; so does the end of this program, even when it is killed. Thread safe but for
/// that, and for expressions, of which one is evaluated at a time.
/// </remarks>
internal sealed class TemporaryRabbit : IAsyncDisposable
{
    private const int StartAttempts = 3;

    // Debian's rabbitmq-server in PATH insists on the distribution's own folder and user; these are the programs behind it.
    private const string ProgramFolder = "/usr/lib/rabbitmq/bin";
    private const string Env = "/usr/bin/env";
    private const string Node = "poolhouse@localhost";
    private const string User = "poolhouse";
    private const string StopSignal = "TERM";

    private readonly ServerAccount _account;
    private readonly ServerFolder _folder = ServerFolder.Create();

    // The mapper is a process for itself, so it has a folder, and a guard, for itself.
    private readonly ServerFolder _mapperFolder = ServerFolder.Create();

    // In the order in which they end: the server, then its mapper.
    private readonly List<ServerProcess> _processes = [];
    private readonly string _password = ServerPassword.Create();
    private int _mapperPort;
    private int _nodePort;
    private int _toolPort;
    private RabbitConsole? _console;

    private TemporaryRabbit(ServerAccount account) => _account = account;

    public int Port { get; private set; }

    /// <summary>The address, with the only user and its random password.</summary>
    public Uri Address => new(string.Create(CultureInfo.InvariantCulture, $"amqp://{User}:{_password}@127.0.0.1:{Port}"));

    /// <summary>Where the configuration with the password is; only the server's account can read it.</summary>
    public string Folder => _folder.Path;

    /// <summary>Whether this machine can run one.</summary>
    /// <param name="reason">Why not, for people.</param>
    public static bool TryFind(out string reason)
    {
        if (ServerAccount.TryFind(out _, out reason) && (!File.Exists(Server) || Mapper is null || Erlang is null))
        {
            reason = $"RabbitMQ is not installed (no rabbitmq-server in {ProgramFolder}, or no epmd and erl)";
        }

        return reason.Length == 0;
    }

    public static async Task<TemporaryRabbit> StartAsync(CancellationToken cancellationToken)
    {
        if (!TryFind(out var reason) || !ServerAccount.TryFind(out var account, out reason))
        {
            throw new InvalidOperationException($"No RabbitMQ: {reason}.");
        }

        var rabbit = new TemporaryRabbit(account);
        try
        {
            await rabbit.StartOnFreePortsAsync(cancellationToken);
            return rabbit;
        }
        catch
        {
            await rabbit.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc cref="RabbitConsole.EvaluateAsync"/>
    public Task<IReadOnlyList<string>> EvaluateAsync(string expression, CancellationToken cancellationToken)
    {
        _console ??= new RabbitConsole(_folder.Path, Node, _account.CommandFor(
        [
            Env, .. Environment(), Erlang!, "-sname", "console@localhost", "-start_epmd", "false",
            "-kernel", "inet_dist_listen_min", Text(_toolPort), "-kernel", "inet_dist_listen_max", Text(_toolPort + 9),
        ]));
        return _console.EvaluateAsync(expression, cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        _console?.Dispose();
        await StopAsync();
        _folder.Dispose();
        _mapperFolder.Dispose();
    }

    private static string Server => Path.Combine(ProgramFolder, "rabbitmq-server");

    private static string? Mapper => ServerPrograms.Find("epmd");

    private static string? Erlang => ServerPrograms.Find("erl");

    private async Task StartOnFreePortsAsync(CancellationToken cancellationToken)
    {
        await _account.GiveAsync(_folder.Path, cancellationToken);
        await _account.GiveAsync(_mapperFolder.Path, cancellationToken);

        var configuration = _folder.At("rabbitmq.conf");
        await File.WriteAllTextAsync(configuration, $"default_user = {User}\ndefault_pass = {_password}\n", cancellationToken);
        await _account.GiveAsync(configuration, cancellationToken);

        // By a name in its folder, so that the guard recognizes the process.
        var mapper = _mapperFolder.At("epmd");
        File.CreateSymbolicLink(mapper, Mapper!);
        for (var attempt = 1; ; attempt++)
        {
            (Port, _nodePort) = (LoopbackPort.Find(), LoopbackPort.Find());
            (_toolPort, _mapperPort) = (LoopbackPort.Find(), LoopbackPort.Find());
            _processes.Add(ServerProcess.Start(
                _mapperFolder, _account.CommandFor([Env, "ERL_EPMD_ADDRESS=127.0.0.1", mapper, "-port", Text(_mapperPort)])));
            try
            {
                // Otherwise, the server starts another mapper, which would outlive it.
                await _processes[0].WaitUntilAsync(MapperListens, cancellationToken);
                _processes.Insert(0, ServerProcess.Start(_folder, _account.CommandFor([Env, .. Environment(), Server])));
                await _processes[0].WaitUntilAsync(IsReady, cancellationToken);
                return;
            }
            catch (InvalidOperationException e) when (
                attempt < StartAttempts && e.Message.Contains("address already in use", StringComparison.OrdinalIgnoreCase))
            {
                await StopAsync();
                File.Delete(_folder.At(ServerProcess.LogName));
            }
        }
    }

    private IEnumerable<string> Environment() =>
    [
        // The cookie that controls the server is created there.
        $"HOME={_folder.Path}",
        $"ERL_EPMD_PORT={Text(_mapperPort)}",
        "ERL_EPMD_ADDRESS=127.0.0.1",
        $"RABBITMQ_NODENAME={Node}",
        "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
        $"RABBITMQ_NODE_PORT={Text(Port)}",
        $"RABBITMQ_DIST_PORT={Text(_nodePort)}",
        $"RABBITMQ_MNESIA_BASE={_folder.At("data")}",
        $"RABBITMQ_LOG_BASE={_folder.Path}",
        "RABBITMQ_LOGS=-",

        // Nothing of what is configured on this machine.
        $"RABBITMQ_CONF_ENV_FILE={_folder.At("none")}",
        $"RABBITMQ_CONFIG_FILE={_folder.At("rabbitmq")}",
        $"RABBITMQ_ADVANCED_CONFIG_FILE={_folder.At("advanced")}",
        $"RABBITMQ_ENABLED_PLUGINS_FILE={_folder.At("plugins")}",
        $"RABBITMQ_PID_FILE={_folder.At("rabbit.pid")}",

        // The shell becomes the server, as it does for systemd, so that a signal to our child reaches it; its arguments name
        // the folder, by which the guard knows it; and it starts no port mapper that would outlive it.
        "RUNNING_UNDER_SYSTEMD=true",
        $"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-start_epmd false -poolhouse {_folder.Path}",
    ];

    private bool IsReady() =>
        _folder.ReadShared(ServerProcess.LogName).Contains("Server startup complete", StringComparison.Ordinal);

    private bool MapperListens()
    {
        try
        {
            using var client = new TcpClient();
            client.Connect(IPAddress.Loopback, _mapperPort);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private async Task StopAsync()
    {
        foreach (var process in _processes)
        {
            await process.StopAsync(StopSignal);
            process.Dispose();
        }

        _processes.Clear();
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
