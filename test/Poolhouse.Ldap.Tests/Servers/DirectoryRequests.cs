using System.DirectoryServices.Protocols;
using System.Text;

namespace Poolhouse.Ldap.Tests.Servers;

internal static class DirectoryRequests
{
    /// <summary>The identity of a connection at the server.</summary>
    public static string WhoAmI(this LdapConnection connection) =>
        Encoding.UTF8.GetString(
            ((ExtendedResponse)connection.SendRequest(new ExtendedRequest("1.3.6.1.4.1.4203.1.11.3"))).ResponseValue ?? []);

    public static SearchRequest Everybody => new(Entries.People, "(uid=*)", SearchScope.OneLevel, "uid");

    public static SearchRequest AnnAlone => new(Entries.Ann, "(objectClass=*)", SearchScope.Base, "cn");

    /// <summary>Runs what blocks, on another thread.</summary>
    public static Task<T> OnThreadAsync<T>(Func<T> call) =>
        Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
