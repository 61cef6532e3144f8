using System.Globalization;

namespace Poolhouse.Tool.Servers;

/// <summary>
/// The account that a server runs as: the current one or, because database servers refuse to run as root, one with fewer rights.
/// </summary>
internal sealed class ServerAccount
{
    private const string AccountFile = "/etc/passwd";

    private static readonly string[] _candidates = ["postgres", "nobody"];

    private readonly string? _owner;
    private readonly IReadOnlyList<string> _prefix;

    private ServerAccount(string? owner, IReadOnlyList<string> prefix)
    {
        _owner = owner;
        _prefix = prefix;
    }

    /// <summary>The account for servers.</summary>
    /// <param name="account">The account.</param>
    /// <param name="reason">Why there is none.</param>
    public static bool TryFind(out ServerAccount account, out string reason)
    {
        (account, reason) = (new ServerAccount(owner: null, []), "");
        if (OperatingSystem.IsWindows())
        {
            reason = "temporary servers run on Linux and macOS only";
            return false;
        }

        if (!Environment.IsPrivilegedProcess)
        {
            return true;
        }

        var (name, user, group) = _candidates.Select(Read).FirstOrDefault(each => each.Name is not null);
        if (name is null)
        {
            reason = $"database servers refuse to run as root, and {AccountFile} has neither {string.Join(" nor ", _candidates)}";
            return false;
        }

        if (ServerPrograms.Find("setpriv") is not { } setpriv)
        {
            reason = "database servers refuse to run as root, and setpriv (of util-linux) is not installed";
            return false;
        }

        // It becomes the server, where runuser would stay its parent: a signal to our child reaches the server.
        account = new ServerAccount($"{user}:{group}", [setpriv, $"--reuid={user}", $"--regid={group}", "--clear-groups", "--"]);
        return true;
    }

    /// <summary>The command that runs a command as this account, in the same process.</summary>
    public IReadOnlyList<string> CommandFor(params IReadOnlyList<string> command) => [.. _prefix, .. command];

    /// <summary>Gives the account a file or a folder.</summary>
    public async Task GiveAsync(string path, CancellationToken cancellationToken)
    {
        if (_owner is not null)
        {
            await ServerCommand.RunAsync(Path.GetTempPath(), ["chown", _owner, path], cancellationToken).ConfigureAwait(false);
        }
    }

    private static (string? Name, int User, int Group) Read(string name)
    {
        var fields = File.Exists(AccountFile)
            ? File.ReadLines(AccountFile)
                .FirstOrDefault(line => line.StartsWith($"{name}:", StringComparison.Ordinal))?.Split(':')
            : null;
        return fields is { Length: > 3 }
            ? (name, int.Parse(fields[2], CultureInfo.InvariantCulture), int.Parse(fields[3], CultureInfo.InvariantCulture))
            : default;
    }
}
