using System.DirectoryServices.Protocols;
using Poolhouse.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>Classifies results and requests by their effect on the connection and its server.</summary>
internal static class LdapResults
{
    public const int InvalidCredentials = 49;
    public const int ServerDown = 81;
    public const int TimedOut = 85;
    public const int NoResults = 94;

    private const int FirstOfTheClient = 80;
    private const int AuthUnknown = 86;
    private const int FilterError = 87;
    private const int ParameterError = 89;
    private const int ConnectError = 91;
    private const int NotSupported = 92;
    private const int ControlNotFound = 93;
    private const int MoreResults = 95;
    private const int ReferralLimit = 97;

    // StartTLS; AD's fast bind; transactions (RFC 5805): they change the connection for the next user.
    private static readonly string[] _changes = ["1.3.6.1.4.1.1466.20037", "1.2.840.113556.1.4.1781", "1.3.6.1.1.21.1"];

    /// <summary>Whether the server is gone or announced that it disconnects.</summary>
    public static bool IsLost(Exception failure) => failure switch
    {
        LdapException e => e.ErrorCode is ServerDown or ConnectError or (int)ResultCode.Unavailable,
        DirectoryOperationException e => e.Response is { ResultCode: ResultCode.Unavailable },
        _ => false,
    };

    /// <summary>Whether a connection may be out of step with its server after a failure.</summary>
    public static bool BreaksTheConnection(Exception failure) => failure switch
    {
        // The server answered, or nothing was sent.
        DirectoryOperationException e => e.Response is null or { ResultCode: ResultCode.Success },
        ArgumentException or NotSupportedException => false,
        LdapException e => e.ErrorCode >= FirstOfTheClient
            && e.ErrorCode is not (AuthUnknown or FilterError or ParameterError or NotSupported or ControlNotFound or NoResults
            or MoreResults or ReferralLimit),
        _ => true,
    };

    /// <summary>
    /// Whether another attempt with the same credential, and the same records in DNS, would fail in the same way.
    /// </summary>
    public static bool IsPermanent(Exception failure) =>
        failure is NoServerAvailableException none ? none.Failures.All(IsPermanent) : failure is DllNotFoundException
            or InvalidOperationException or ArgumentException
            or LdapException { ErrorCode: InvalidCredentials or AuthUnknown or NotSupported or ParameterError or NoResults };

    public static bool ChangesTheConnection(DirectoryRequest? request) =>
        request is ExtendedRequest { RequestName: { } name } && _changes.Contains(name, StringComparer.Ordinal);

    public static LdapRetries KindOf(DirectoryRequest request) => request switch
    {
        SearchRequest => LdapRetries.Search,
        CompareRequest => LdapRetries.Compare,
        AddRequest => LdapRetries.Add,
        ModifyRequest => LdapRetries.Modify,
        ModifyDNRequest => LdapRetries.ModifyDn,
        DeleteRequest => LdapRetries.Delete,
        _ => LdapRetries.Extended,
    };

    public static Type ResponseOf(DirectoryRequest request) => request switch
    {
        SearchRequest => typeof(SearchResponse),
        CompareRequest => typeof(CompareResponse),
        AddRequest => typeof(AddResponse),
        ModifyRequest => typeof(ModifyResponse),
        ModifyDNRequest => typeof(ModifyDNResponse),
        DeleteRequest => typeof(DeleteResponse),
        _ => typeof(ExtendedResponse),
    };
}
