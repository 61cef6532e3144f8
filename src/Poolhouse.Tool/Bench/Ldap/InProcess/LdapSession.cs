using System.Buffers.Binary;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>Executes the operations of a connection: its identity, its paged search, and the answers.</summary>
/// <remarks>One operation at a time; <see cref="BoundDn"/> can be read at any time.</remarks>
internal sealed class LdapSession(LdapTestServer server)
{
    private volatile string _boundDn = "";
    private PagedSearch? _paged;
    private long _pages;

    /// <summary>The identity; empty: anonymous.</summary>
    public string BoundDn => _boundDn;

    /// <summary>Executes an operation. The answer is streamed; a caller that stops enumerating abandons the operation.</summary>
    public IEnumerable<byte[]> Execute(LdapMessage message, LdapTestOperation operation)
    {
        var (id, request) = (message.Id, message.Request);
        if (request is LdapRequest.Bind)
        {
            // Before anything can go wrong: a bind that fails leaves the connection anonymous (RFC 4513, section 4).
            _boundDn = "";
        }

        if (message.Controls.FirstOrDefault(control => control.IsCritical && !IsKnown(control, request)) is not null)
        {
            return [Answer(
                id, operation, new(LdapTestResultCode.UnavailableCriticalExtension, "critical extension is not recognized"))];
        }

        return request switch
        {
            LdapRequest.Search search => Search(id, search, message.Controls, operation),
            LdapRequest.Bind bind => [Answer(id, operation, Bind(bind))],
            LdapRequest.Compare compare => [Answer(id, operation, MayRead ? server.Directory.Compare(compare) : NotAllowed)],
            LdapRequest.Add add => [Answer(id, operation, MayWrite ? server.Directory.Add(add) : NotBound)],
            LdapRequest.Delete delete => [Answer(id, operation, MayWrite ? server.Directory.Delete(delete) : NotBound)],
            LdapRequest.Modify modify => [Answer(id, operation, MayWrite ? server.Directory.Modify(modify) : NotBound)],
            LdapRequest.ModifyDn rename => [Answer(id, operation, MayWrite ? server.Directory.ModifyDn(rename) : NotBound)],
            LdapRequest.Extended { Oid: LdapRequest.Extended.WhoAmI } => [WhoAmI(id, operation)],
            _ => [Answer(id, operation, new(LdapTestResultCode.ProtocolError, "unsupported extended operation"))],
        };
    }

    private static LdapResult NotAllowed => LdapTestResultCode.InsufficientAccessRights;

    private static LdapResult NotBound => new(LdapTestResultCode.StrongerAuthRequired, "modifications require authentication");

    private bool MayRead => server.Options.AllowAnonymousSearch || _boundDn.Length > 0;

    private bool MayWrite => _boundDn.Length > 0;

    private static bool IsKnown(LdapControl control, LdapRequest request) =>
        request is LdapRequest.Search && string.Equals(control.Oid, LdapControl.PagedResults, StringComparison.Ordinal);

    private static byte[] Answer(int id, LdapTestOperation operation, LdapResult result, byte[]? cookie = null)
    {
        operation.Result = result.Code;
        return LdapResponseWriter.Done(id, operation.Kind, result, cookie);
    }

    private LdapResult Bind(LdapRequest.Bind bind)
    {
        const int CurrentVersion = 3;
        if (server.Faults.BindRefusal is { } refusal)
        {
            return refusal;
        }

        if (bind.Version != CurrentVersion)
        {
            return new(LdapTestResultCode.ProtocolError, "only version 3 of the protocol is known here");
        }

        if (bind.Password is not { } password)
        {
            return new(LdapTestResultCode.AuthMethodNotSupported, "only simple binds are known here");
        }

        if (!LdapDn.TryParse(bind.Name, out var name))
        {
            return new(LdapTestResultCode.InvalidDnSyntax, "invalid DN");
        }

        if (name.Depth == 0)
        {
            return password.Length == 0
                ? LdapResult.Success
                : new(LdapTestResultCode.InvalidCredentials, "anonymous bind with non-empty password disallowed");
        }

        if (password.Length == 0)
        {
            return server.Options.AllowUnauthenticatedBind
                ? LdapResult.Success
                : new(LdapTestResultCode.UnwillingToPerform, "unauthenticated bind (DN with no password) disallowed");
        }

        if (server.Directory.Authenticate(name, password) is not { } entry)
        {
            return LdapTestResultCode.InvalidCredentials;
        }

        _boundDn = entry.Dn;
        return LdapResult.Success;
    }

    private byte[] WhoAmI(int id, LdapTestOperation operation)
    {
        operation.Result = LdapTestResultCode.Success;
        return LdapResponseWriter.Extended(id, LdapResult.Success, value: _boundDn.Length == 0 ? "" : "dn:" + _boundDn);
    }

    private IEnumerable<byte[]> Search(
        int id,
        LdapRequest.Search search,
        IReadOnlyList<LdapControl> controls,
        LdapTestOperation operation)
    {
        if (LdapRootEntry.IsAskedFor(search))
        {
            return SearchRoot(id, search, operation);
        }

        if (!MayRead)
        {
            return [Answer(id, operation, NotAllowed)];
        }

        return controls.FirstOrDefault(control => IsKnown(control, search)) is { } paging
            ? SearchPage(id, search, paging, operation)
            : SearchAll(id, search, operation);
    }

    private IEnumerable<byte[]> SearchRoot(int id, LdapRequest.Search search, LdapTestOperation operation)
    {
        var root = LdapRootEntry.Make(server);
        if (search.Filter.Matches(root) is true)
        {
            yield return Entry(id, search, root);
        }

        yield return Answer(id, operation, LdapResult.Success);
    }

    private IEnumerable<byte[]> SearchAll(int id, LdapRequest.Search search, LdapTestOperation operation)
    {
        var result = Find(search, out var found);
        foreach (var entry in found)
        {
            yield return Entry(id, search, entry);
        }

        yield return Answer(id, operation, result);
    }

    private IEnumerable<byte[]> SearchPage(int id, LdapRequest.Search search, LdapControl paging, LdapTestOperation operation)
    {
        if (!LdapRequestReader.TryReadPagedResults(paging.Value, out var size, out var cookie))
        {
            yield return Answer(
                id, operation, new(LdapTestResultCode.ProtocolError, "paged results control could not be decoded"));
            yield break;
        }

        // A cookie means something on its own connection only, and only until the next page.
        var paged = _paged;
        _paged = null;
        if (cookie.Length > 0 && (paged is null || !cookie.AsSpan().SequenceEqual(paged.Cookie)))
        {
            yield return Answer(id, operation, new(LdapTestResultCode.ProtocolError, "paged results cookie is invalid"));
            yield break;
        }

        if (cookie.Length == 0)
        {
            var result = Find(search, out var found);
            paged = new PagedSearch(result, found, 0, []);
        }

        var page = size == 0 ? [] : paged!.Found.Skip(paged.Next).Take(size).ToArray();
        foreach (var entry in page)
        {
            yield return Entry(id, search, entry);
        }

        var next = paged!.Next + page.Length;
        var isLast = size == 0 || next == paged.Found.Count;
        _paged = isLast ? null : paged with { Next = next, Cookie = NewCookie() };
        yield return Answer(id, operation, isLast ? paged.Result : LdapResult.Success, _paged?.Cookie ?? []);
    }

    private LdapResult Find(LdapRequest.Search search, out IReadOnlyList<LdapTestEntry> found)
    {
        var result = server.Directory.Search(search, out found);
        if (search.SizeLimit == 0 || found.Count <= search.SizeLimit)
        {
            return result;
        }

        found = [.. found.Take(search.SizeLimit)];
        return LdapTestResultCode.SizeLimitExceeded;
    }

    private byte[] NewCookie()
    {
        var cookie = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(cookie, ++_pages);
        return cookie;
    }

    private static byte[] Entry(int id, LdapRequest.Search search, LdapTestEntry entry) =>
        LdapResponseWriter.Entry(id, entry.Dn, LdapSelection.From(entry, search));

    /// <param name="Result">What the last page ends with.</param>
    /// <param name="Found">The entries of all pages.</param>
    /// <param name="Next">The first of the next page.</param>
    /// <param name="Cookie">Of the next page.</param>
    private sealed record PagedSearch(LdapResult Result, IReadOnlyList<LdapTestEntry> Found, int Next, byte[] Cookie);
}
