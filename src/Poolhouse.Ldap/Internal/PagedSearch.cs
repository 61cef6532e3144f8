using System.DirectoryServices.Protocols;

namespace Poolhouse.Ldap.Internal;

/// <summary>One enumeration of a paged search on one connection.</summary>
// The server gives a cookie with each page but the last and takes it once: a cookie that was sent is used up, whatever the
// outcome of the request. HasMore is true only while there is a cookie that was not sent.
internal sealed class PagedSearch
{
    private readonly SearchRequest _request;
    private readonly PageResultRequestControl _page;

    /// <param name="request">The search, which is not changed.</param>
    /// <param name="pageSize">How many entries a page has.</param>
    public PagedSearch(SearchRequest request, int pageSize)
    {
        _page = new PageResultRequestControl(pageSize) { IsCritical = true };
        _request = Copy(request);
        _request.Controls.Add(_page);
    }

    /// <summary>Whether the server has more pages.</summary>
    public bool HasMore { get; private set; }

    /// <summary>Requests the next page.</summary>
    public SearchResponse Send(PooledLdapConnection connection)
    {
        HasMore = false;
        return (SearchResponse)LdapReferrals.ThrowIfReferred(connection.SendRequest(_request));
    }

    /// <summary>Notifies the server that the remaining pages are not needed.</summary>
    public SearchResponse SendEnd(PooledLdapConnection connection)
    {
        _page.PageSize = 0;
        return Send(connection);
    }

    /// <summary>Takes the cookie of a page.</summary>
    public void Take(SearchResponse response)
    {
        _page.Cookie = response.Controls.OfType<PageResultResponseControl>().FirstOrDefault()?.Cookie ?? [];
        HasMore = _page.Cookie.Length > 0;
    }

    /// <summary>A copy of a search, with the same controls.</summary>
    /// <exception cref="ArgumentException">It already has a paging control.</exception>
    public static SearchRequest Copy(SearchRequest request)
    {
        var copy = new SearchRequest
        {
            DistinguishedName = request.DistinguishedName,
            Filter = request.Filter,
            Scope = request.Scope,
            Aliases = request.Aliases,
            SizeLimit = request.SizeLimit,
            TimeLimit = request.TimeLimit,
            TypesOnly = request.TypesOnly,
            RequestId = request.RequestId,
        };
        foreach (var attribute in request.Attributes.Cast<string>())
        {
            copy.Attributes.Add(attribute);
        }

        foreach (DirectoryControl control in request.Controls)
        {
            if (control is PageResultRequestControl)
            {
                throw new ArgumentException(
                    "The search already has a paging control. Remove it, or rent a connection and request the pages yourself.",
                    nameof(request));
            }

            copy.Controls.Add(control);
        }

        return copy;
    }
}
