using System.DirectoryServices.Protocols;

namespace Poolhouse.Ldap;

/// <summary>A search that goes from page to page on one connection.</summary>
internal sealed class PagedSearch
{
    private readonly SearchRequest _request;
    private readonly PageResultRequestControl _page;

    public PagedSearch(SearchRequest request, int pageSize)
    {
        _page = new PageResultRequestControl(pageSize) { IsCritical = true };
        _request = Copy(request);
        _request.Controls.Add(_page);
    }

    /// <summary>Whether the server holds pages that were not read.</summary>
    public bool HasMore => _page.Cookie.Length > 0;

    public SearchResponse Send(PooledLdapConnection connection) => (SearchResponse)connection.SendRequest(_request);

    /// <summary>Tells the server that the rest is not wanted.</summary>
    public SearchResponse SendEnd(PooledLdapConnection connection)
    {
        _page.PageSize = 0;
        return (SearchResponse)connection.SendRequest(_request);
    }

    /// <summary>Turns to the next page.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryTurnPage(SearchResponse response)
    {
        _page.Cookie = response.Controls.OfType<PageResultResponseControl>().FirstOrDefault()?.Cookie ?? [];
        return HasMore;
    }

    private static SearchRequest Copy(SearchRequest request)
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
                throw new ArgumentException("The search holds a control for pages already. Leave it out, or rent a connection and turn the pages yourself.", nameof(request));
            }

            copy.Controls.Add(control);
        }

        return copy;
    }
}
