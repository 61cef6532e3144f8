using System.DirectoryServices.Protocols;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Ldap;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Cli;

/// <summary>
/// The options <c>--server</c>, <c>--bind-dn</c> and <c>--bind-password</c>, of which no message shows the value.
/// </summary>
internal static class LdapOptions
{
    private const int SecurePort = 636;
    private const int PlainPort = 389;
    private const string Secure = "ldaps";
    private const string Plain = "ldap";

    /// <summary>Returns the directory that the options name.</summary>
    /// <exception cref="UsageException">The options do not go together, or cannot be understood.</exception>
    public static LdapSource Read(BenchRequest request)
    {
        if (request.Server is not { } server)
        {
            return request.BindDn is null && request.BindPassword is null
                ? new LdapSource(user: null)
                : throw new UsageException("--bind-dn and --bind-password require --server.");
        }

        if (!IsLdap(request.Choices))
        {
            throw new UsageException($"--server is for '{Catalog.LdapGroup}'; '{request.Choice}' uses no LDAP server.");
        }

        if (string.IsNullOrEmpty(request.BindDn) != string.IsNullOrEmpty(request.BindPassword)
            || request.BindDn is "" || request.BindPassword is "")
        {
            throw new UsageException(
                "Specify both --bind-dn and --bind-password, not empty, or neither: without one, the bind is anonymous.");
        }

        if (!Uri.TryCreate(server, UriKind.Absolute, out var address) || address.Scheme is not (Plain or Secure)
            || address.Host.Length == 0 || address.UserInfo.Length > 0 || address.PathAndQuery.Trim('/').Length > 0)
        {
            throw new UsageException("--server is not the address of an LDAP server. Example: 'ldap://localhost:389'.");
        }

        var isSecure = address.Scheme == Secure;
        return new LdapSource(new LdapTarget
        {
            Host = address.IdnHost,
            Port = address.Port > 0 ? address.Port : isSecure ? SecurePort : PlainPort,
            IsSecure = isSecure,
            BindDn = request.BindDn,
            Password = request.BindPassword,
        });
    }

    /// <summary>Whether the choice is about LDAP only.</summary>
    public static bool IsLdap(IReadOnlyList<string> choices) =>
        Catalog.Select(choices).All(study => study.Group == Catalog.LdapGroup);

    /// <summary>Sends the search of the trials to the user's server once.</summary>
    /// <exception cref="UsageException">It cannot be reached, or refuses.</exception>
    public static void Check(LdapSource source)
    {
        if (source.User is not { } target)
        {
            return;
        }

        try
        {
            using var connection = target.Connect();
            connection.SendRequest(target.Search());
        }
        catch (LdapException failure)
        {
            throw new UsageException(
                $"--server: the search failed ({Units.Count(failure.ErrorCode)}: {failure.Message})", failure);
        }
        catch (DirectoryOperationException refused)
        {
            throw new UsageException($"--server: the search was refused ({refused.Response?.ResultCode}).", refused);
        }
    }
}
